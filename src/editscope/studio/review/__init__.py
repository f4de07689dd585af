"""Review: queues of records that people accept, edit or reject, two by two, with adjudication."""
