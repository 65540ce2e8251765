"""Which graphs a compiler makes slower than eager, by how much, and why: figures that are stored, put together."""
