"""What tests of several folders use: models, samples, servers and ways of looking at what a run leaves."""
