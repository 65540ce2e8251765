"""Everything that changes the assistant's rows, one function for each change."""
