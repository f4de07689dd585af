"""Annotation of cases by people: forms as data, rules that are checked while you type, and the authors' layouts."""

from __future__ import annotations

from editscope.suites.annotation.form import AnnotationForm, FormField, Remark, Values
from editscope.suites.annotation.layout import AnnotationLayout, AnnotationRecord

__all__ = ["AnnotationForm", "AnnotationLayout", "AnnotationRecord", "FormField", "Remark", "Values"]
