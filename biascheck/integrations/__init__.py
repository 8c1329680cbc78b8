"""Figures where people already look: while a model is trained, and in MLflow or Weights & Biases.

Each module imports its library only where it is used: ``from biascheck.integrations.trainer import BiasCallback``.
"""
