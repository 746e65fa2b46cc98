"""Trains two networks from different seeds, and merges them."""

import digits
import pyrebasin as rb

images, labels = digits.load("train")
a = digits.train(digits.mlp(1), images, labels, epochs=15)
b = digits.train(digits.mlp(2), images, labels, epochs=15)

graph = rb.trace(a, images[:1])
r = rb.align(a, b, model=graph)
merged, plain = digits.mlp(0), digits.mlp(0)
merged.load_state_dict(rb.merge([a, b], alignments=[None, r], model=graph).state_dict())
plain.load_state_dict(rb.merge([a, b], align=None).state_dict())

check = rb.check_module(b, r, images[:10])
print(f"permuted, B changes its outputs by {check.difference:.0e}")
for name, net in {"A": a, "B": b, "plain average": plain, "aligned": merged}.items():
    print(f"{name}: {digits.accuracy(net, *digits.load('t10k')):.1f} % right")
