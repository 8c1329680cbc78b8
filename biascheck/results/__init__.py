"""What a measurement leaves behind, how two of them compare, and how they are stored."""
