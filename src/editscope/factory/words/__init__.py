"""Dictionaries: subjects, scenes, keywords and motions for each law; objects and causes; scenario seeds by task."""
