"""The studio: one local web application to see every edit, mark regions, review data and run studies with people."""
