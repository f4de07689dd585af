"""Training of the small editor: lessons of a stream, the network, its loss, and stages that resume from each other."""
