"""A strategy for Flower: federated averaging of models that are aligned first.

Needs the package ``flwr``; `pyrebasin` itself never imports this module.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

from flwr.app import Array, ArrayRecord, ConfigRecord, Message, MetricRecord
from flwr.serverapp import Grid
from flwr.serverapp.strategy import FedAvg

from ._errors import UsageError
from ._federated import AlignedAverage
from ._options import MATCH_NAMES, check_names

TARGETS = ("clients", "global")


def _arrays_of(record: ArrayRecord) -> dict[str, Any]:
    return {name: array.numpy() for name, array in record.items()}


class AlignedFedAvg(FedAvg):
    """Federated averaging that aligns the clients' models before averaging.

    Networks that were trained from different starts have their units in
    different orders, and their plain average is broken. Here each client's model
    is permuted first, as it is added to the average: beside Flower's own copies
    of the replies, two models are in memory, whatever the number of clients.

    Parameters
    ----------
    align_to : str
        ``"clients"`` (default): to the mean of the clients before it; the first
        one is not permuted. ``"global"``: to the global model that was sent.
    match : dict, optional
        Options of `align`, such as ``{"model": trace(module, example)}``.
    **options
        Those of ``flwr.serverapp.strategy.FedAvg``.

    Examples
    --------
    >>> from pyrebasin.flower import AlignedFedAvg  # doctest: +SKIP
    >>> strategy = AlignedFedAvg(fraction_train=0.5)  # doctest: +SKIP
    """

    def __init__(
        self,
        *,
        align_to: str = "clients",
        match: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        if align_to not in TARGETS:
            raise UsageError(
                f"align_to={align_to!r} is unknown", hint="it can be clients, global"
            )
        self._match = dict(match or {})
        check_names(self._match, MATCH_NAMES)
        super().__init__(**options)
        self._align_to = align_to
        self._global: ArrayRecord | None = None
        self.units_moved: list[int] = []

    def configure_train(
        self, server_round: int, arrays: ArrayRecord, config: ConfigRecord, grid: Grid
    ) -> Iterable[Message]:
        """Configure the next round, and remember the global model."""
        self._global = arrays
        messages: Iterable[Message] = super().configure_train(
            server_round, arrays, config, grid
        )
        return messages

    def _weight_of(self, message: Message) -> float:
        metrics = next(iter(message.content.metric_records.values()))
        return float(metrics[self.weighted_by_key])

    def aggregate_train(
        self, server_round: int, replies: Iterable[Message]
    ) -> tuple[ArrayRecord | None, MetricRecord | None]:
        """Align and average the clients' models."""
        valid, _ = self._check_and_log_replies(replies, is_train=True)
        if not valid:
            return None, None
        target = None
        if self._align_to == "global" and self._global is not None:
            target = _arrays_of(self._global)
        mean = AlignedAverage(target, **self._match)
        for message in valid:
            record = next(iter(message.content.array_records.values()))
            mean.add(_arrays_of(record), weight=self._weight_of(message))
        self.units_moved = mean.moved
        contents = [message.content for message in valid]
        metrics = self.train_metrics_aggr_fn(contents, self.weighted_by_key)
        averaged = OrderedDict(
            (name, Array(array)) for name, array in mean.result().items()
        )
        return ArrayRecord(averaged), metrics
