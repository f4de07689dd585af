"""Where the rules come from."""

from __future__ import annotations

BENCHMARK_INSTRUCTIONS = "PICABench, Figure 16"
QUESTIONS = "PICABench, Figure 17"
QUESTIONS_OF_A_CASE = "PICABench, section 3.3 and Figure 17"
MOTION_CAPTIONS = "PICABench, Figure 19"
TRAINING_INSTRUCTIONS = "PICABench, Figure 20"
IMPLICIT_INSTRUCTIONS = "WorldEdit, section 3.1 and appendix B"
PARAPHRASES = "WorldEdit, appendix B"
TRANSLATIONS = "WiseEdit, appendix B"
