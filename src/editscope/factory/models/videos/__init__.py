"""Models that animate a picture: vendors' APIs, and the client that they share."""
