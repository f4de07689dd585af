"""Steps of a pipeline: what each kind does with records, and the steps that come with Editscope."""
