"""The paper's own evaluation: what it trained, and how it arrived at its figures."""
