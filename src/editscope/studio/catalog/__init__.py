"""The catalog of a studio: which runs lie under its folder, what each holds, and which are going on."""
