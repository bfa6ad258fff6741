"""The rules of the house: each is a function from the sources to the list of places that break it."""
