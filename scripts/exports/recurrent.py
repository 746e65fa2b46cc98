"""Recurrent layers."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from exports.entry import Entry, floats, ids, image, lengths, sequence, tokens


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        options = {'num_layers': 2, 'bidirectional': True, **options}
        self.rnn = kind(5, 8, batch_first=True, **options)
        self.head = nn.Linear(16 if options['bidirectional'] else 8, 3)

    def forward(self, x):
        return self.head(self.rnn(x)[0])


class LastState(nn.Module):
    """Only the states after the last step go on."""

    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(5, 8, num_layers=2)
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        _, (hidden, cell) = self.rnn(x.transpose(0, 1))
        return self.head(torch.cat((hidden[-1], cell[0]), -1))


class GivenState(nn.Module):
    """States come in and go out, as where sound is streamed."""

    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.GRU(5, 8, batch_first=True), nn.Linear(8, 3)

    def forward(self, x, state):
        x, state = self.rnn(x, state)
        return self.head(x), state


class LearnedState(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(5, 8), nn.Linear(8, 3)
        self.hidden, self.cell = (nn.Parameter(torch.randn(1, 1, 8))
                                  for _ in range(2))

    def forward(self, x):
        x = x.transpose(0, 1)
        state = (self.hidden.expand(1, x.shape[1], 8).contiguous(),
                 self.cell.expand(1, x.shape[1], 8).contiguous())
        return self.head(self.rnn(x, state)[0])


class Packed(nn.Module):
    """Sequences of several lengths in one batch."""

    def __init__(self, kind):
        super().__init__()
        self.rnn = kind(5, 8, batch_first=True, bidirectional=True)
        self.head = nn.Linear(16, 3)

    def forward(self, x, lengths):
        x = pack_padded_sequence(x, lengths, batch_first=True)
        x, _ = pad_packed_sequence(self.rnn(x)[0], batch_first=True)
        return self.head(x)


class Unrolled(nn.Module):
    """A cell for each of a fixed number of steps."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTMCell(5, 8), nn.GRUCell(8, 6)
        self.head = nn.Linear(6, 3)

    def forward(self, x):
        hidden = cell = x.new_zeros(x.shape[0], 8)
        last = x.new_zeros(x.shape[0], 6)
        for i in range(4):
            hidden, cell = self.first(x[:, i], (hidden, cell))
            last = self.second(hidden, last)
        return self.head(last)


class StackedSkips(nn.Module):
    """Layers see the input again; norms between them."""

    def __init__(self):
        super().__init__()
        self.one = nn.GRU(5, 6, batch_first=True, bidirectional=True)
        self.two = nn.GRU(17, 6, batch_first=True, bidirectional=True)
        self.norm, self.head = nn.LayerNorm(12), nn.Linear(24, 3)

    def forward(self, x):
        one = self.norm(self.one(x)[0])
        two = self.two(torch.cat((x, one), -1))[0]
        return self.head(torch.cat((one, two), -1))


class Tagger(nn.Module):
    """Words and features, a bidirectional LSTM, attention over its states."""

    def __init__(self):
        super().__init__()
        self.embed, self.score = nn.Embedding(20, 5), nn.Linear(16, 1)
        self.rnn = nn.LSTM(5, 8, batch_first=True, bidirectional=True)
        self.head = nn.Linear(16, 3)

    def forward(self, ids):
        x = self.rnn(self.embed(ids))[0]
        share = torch.softmax(self.score(torch.tanh(x)), 1)
        return self.head((share * x).sum(1))


class Seq2Seq(nn.Module):
    """An encoder, a decoder, and additive attention between them."""

    def __init__(self):
        super().__init__()
        self.source, self.target = nn.Embedding(20, 6), nn.Embedding(15, 6)
        self.encoder = nn.GRU(6, 8, batch_first=True)
        self.decoder = nn.GRU(6, 8, batch_first=True)
        self.query, self.key = nn.Linear(8, 10), nn.Linear(8, 10)
        self.score, self.head = nn.Linear(10, 1), nn.Linear(16, 15)

    def forward(self, source, target):
        keys, state = self.encoder(self.source(source))
        queries, _ = self.decoder(self.target(target), state)
        pairs = self.query(queries)[:, :, None] + self.key(keys)[:, None]
        share = self.score(torch.tanh(pairs))[..., 0].softmax(-1)
        return self.head(torch.cat((queries, share @ keys), -1))


class ReadLines(nn.Module):
    """CRNN: columns of a picture are steps of an LSTM."""

    def __init__(self):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8),
            nn.ReLU(), nn.Conv2d(8, 6, 3, stride=(2, 1), padding=1), nn.ReLU())
        self.rnn = nn.LSTM(6 * 4, 8, bidirectional=True)
        self.head = nn.Linear(16, 7)

    def forward(self, x):
        x = self.convs(x).flatten(1, 2).permute(2, 0, 1)
        return self.head(self.rnn(x)[0]).log_softmax(-1)


class TiedLanguage(nn.Module):
    """The table of words is the last layer, too."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.rnn = nn.LSTM(8, 8, num_layers=2, batch_first=True)
        self.head = nn.Linear(8, 20)
        self.head.weight = self.embed.weight

    def forward(self, ids):
        return self.head(self.rnn(self.embed(ids))[0])


SEQUENCE = (sequence(5),)
FIVE = {'length': (5, 4, 9)}
# The exporter keeps the traced number of sequences.
PACKED = (floats(3, 'length', 5), lengths('length', 3))

MODELS = {
    'lstm': Entry(lambda: Recurrent(nn.LSTM), SEQUENCE, FIVE),
    'gru': Entry(lambda: Recurrent(nn.GRU), SEQUENCE, FIVE),
    'rnn-tanh': Entry(lambda: Recurrent(nn.RNN), SEQUENCE),
    'rnn-relu': Entry(lambda: Recurrent(nn.RNN, nonlinearity='relu',
                                        bidirectional=False), SEQUENCE),
    'lstm-one-way': Entry(lambda: Recurrent(nn.LSTM, bidirectional=False,
                                            num_layers=3), SEQUENCE),
    'gru-no-bias': Entry(lambda: Recurrent(nn.GRU, bias=False, num_layers=1),
                         SEQUENCE),
    'lstm-last-state': Entry(LastState, SEQUENCE),
    'gru-given-state': Entry(GivenState, (
        sequence(5), floats(1, 'batch', 8, name='state'))),
    'lstm-learned-state': Entry(LearnedState, SEQUENCE),
    'lstm-packed': Entry(lambda: Packed(nn.LSTM), PACKED),
    'gru-packed': Entry(lambda: Packed(nn.GRU), PACKED),
    'cells': Entry(Unrolled, (floats('batch', 4, 5),)),
    'gru-skips': Entry(StackedSkips, SEQUENCE),
    'tagger': Entry(Tagger, (tokens(),)),
    'seq2seq': Entry(Seq2Seq, (ids(20, 'batch', 'length', name='source'),
                               ids(15, 'batch', 'other', name='target'))),
    'read-lines': Entry(ReadLines, (floats('batch', 3, 16, 'width'),)),
    'tied-lstm': Entry(TiedLanguage, (tokens(),)),
}
