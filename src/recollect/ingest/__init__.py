"""From what is said to what is known: the gate, conversations, memories by hand, embedding."""
