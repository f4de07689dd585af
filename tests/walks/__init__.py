"""Five people who meet Editscope for the first time: what each types, sees, and should see."""
