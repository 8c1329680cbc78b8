"""Figures in other tools: in the trainer of transformers, in MLflow, in Weights & Biases.

Each module imports its library only where it is used: ``from biascheck.integrations.trainer import BiasCallback``.
"""
