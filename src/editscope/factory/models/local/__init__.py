"""Models of pictures and videos in this process, through diffusers."""
