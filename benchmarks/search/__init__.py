"""The search for the library's defaults, on folds of the training rows of the sixteen development tables."""
