"""Opening, aligning, merging and proving, in files and in memory."""

import logging
import pickle

import numpy as np
import pytest

import pyrebasin as rb


def equal(x, y):
    return set(x) == set(y) and all(np.array_equal(x[name], y[name]) for name in x)


def test_paths_and_mappings_give_the_same_alignment(play, arrays):
    paths = [play / "a.safetensors", play / "b.safetensors"]
    by_file = rb.align(*paths)
    assert rb.align(*arrays) == by_file
    assert rb.align(paths[0], arrays[1]) == by_file
    assert rb.align(rb.open(paths[0]), rb.open(arrays[1])) == by_file


def test_applying_and_undoing_gives_the_same_arrays(arrays):
    a, b = arrays
    r = rb.align(a, b)
    moved = r.apply(b)
    assert type(moved) is dict
    assert not equal(moved, b)
    assert equal(r.inverse().apply(moved), b)


def test_merging_by_known_alignments_is_merging(arrays):
    a, b = arrays
    by_hand = rb.merge([a, b], alignments=[None, rb.align(a, b)])
    assert equal(by_hand, rb.merge([a, b]))
    assert by_hand.proofs[0].proved


def test_weights_of_a_merge_count(arrays):
    a, b = arrays
    assert equal(rb.merge([a, b], weights=[1, 0]), a)
    assert equal(rb.merge([a, b], lambda_=0.25), rb.merge([a, b], weights=[0.75, 0.25]))


def test_merging_without_alignment_is_the_mean(arrays):
    a, b = arrays
    merged = rb.merge([a, b], align=None)
    mean = (a["fc1.weight"].astype(float) + b["fc1.weight"]) / 2
    assert np.array_equal(merged["fc1.weight"], mean.astype(np.float32))
    assert not merged.alignments


def test_many_models_are_merged(arrays):
    a, b = arrays
    c = {name: x + np.float32(0.01) for name, x in b.items()}
    merged = rb.soup([a, b, c])
    assert len(merged.alignments) == 3
    assert merged.many.spread_by_round[-1] < merged.many.spread_by_round[0]


def test_a_three_way_merge_adds_both_changes(arrays):
    base = arrays[0]
    ours = {**base, "fc1.bias": base["fc1.bias"] + np.float32(0.5)}
    theirs = {**base, "fc2.bias": base["fc2.bias"] - np.float32(0.5)}
    merged = rb.merge([ours, theirs], base=base)
    assert np.array_equal(merged["fc1.bias"], ours["fc1.bias"])
    assert np.array_equal(merged["fc2.bias"], theirs["fc2.bias"])


def test_diff_tells_permuted_copies_from_other_models(arrays):
    a, b = arrays
    assert rb.diff(a, a).verdict == "identical"
    moved = rb.align(a, b).apply(b)
    assert rb.diff(b, moved).verdict == "equal_modulo_symmetry"
    assert rb.diff(b, moved).equal
    found = rb.diff(a, b)
    assert found.verdict == "different"
    assert not found.equal
    assert found.alignment.report.objective_after > 500


def test_models_of_unknown_structure_are_compared_as_they_are(caplog):
    x, y = {"odd": np.zeros((2, 3))}, {"odd": np.ones((2, 3))}
    with caplog.at_level(logging.WARNING, "pyrebasin"):
        assert rb.diff(x, y).verdict == "different"
    assert "compared without alignment" in caplog.text


def test_verify_proves_alignments_and_random_elements(arrays):
    a, b = arrays
    assert rb.verify(a).proved
    proof = rb.verify(b, rb.align(a, b))
    assert proof.proved
    assert proof.verdict == "the same function"
    assert max(one.relative for one in proof.outputs) < 1e-7


def test_an_alignment_of_another_model_is_refused(arrays):
    r = rb.align(*arrays)
    sizes = {"fc1": (4, 64), "fc2": (4, 4), "fc3": (10, 4)}
    small = {f"{name}.weight": np.ones(size) for name, size in sizes.items()}
    small |= {f"{name}.bias": np.ones(size[0]) for name, size in sizes.items()}
    with pytest.raises(rb.MismatchError, match="made for"):
        r.apply(small)
    with pytest.raises(rb.MismatchError, match="made for"):
        rb.verify(small, r)


def test_alignments_survive_their_file(tmp_path, arrays):
    r = rb.align(*arrays)
    r.save(tmp_path / "r.json")
    assert rb.Alignment.load(tmp_path / "r.json") == r
    assert rb.Alignment.load(tmp_path / "r.json").to_json() == r.to_json()
    with pytest.raises(rb.UsageError, match="exists"):
        r.save(tmp_path / "r.json")
    r.save(tmp_path / "r.json", force=True)


def test_files_that_are_no_alignments_are_refused(tmp_path):
    for text in ("", "{", "[]", "3", '{"format": "other"}'):
        with pytest.raises(rb.Error):
            rb.Alignment.from_json(text)
    (tmp_path / "x").write_bytes(b"\xff\xfe")
    with pytest.raises(rb.BadInputError):
        rb.Alignment.load(tmp_path / "x")
    with pytest.raises(OSError, match="cannot read"):
        rb.Alignment.load(tmp_path / "absent.json")


def test_models_are_written_in_every_format(tmp_path, arrays):
    merged = rb.merge(arrays)
    for name in ("m.safetensors", "m.npz", "m.pt"):
        merged.save(tmp_path / name)
        assert equal(rb.open(tmp_path / name), merged)
    with pytest.raises(rb.UsageError, match="exists"):
        merged.save(tmp_path / "m.npz")
    merged.save(tmp_path / "m.npz", force=True)
    with pytest.raises(rb.UsageError):
        merged.save(tmp_path / "m.docx")
    with pytest.raises(rb.FileError):
        merged.save(tmp_path / "absent" / "m.npz")


def test_large_models_are_written_in_shards(tmp_path, arrays):
    model = rb.open(arrays[0])
    model.save(tmp_path / "m.safetensors", shard_size="60kB")
    assert (tmp_path / "m.safetensors.index.json").exists()
    assert equal(rb.open(tmp_path), model)
    with pytest.raises(rb.UsageError, match="is no size"):
        model.save(tmp_path / "n.safetensors", shard_size="a lot")


def test_groups_and_axes_are_shown(arrays):
    found = rb.inspect(arrays[0])
    assert {name: group.size for name, group in found.groups.items()} == {
        "fc1": 128,
        "fc2": 128,
    }
    assert found.axes["fc2.weight"] == ["fc2", "fc1"]
    assert {one.reason for one in found.fixed}
    assert rb.describe("resnet20").groups


def test_groups_within_others_have_a_row_for_each_copy():
    found = rb.describe("vit:width=64,heads=4,depth=1")
    inner = [group for group in found.groups.values() if group.within]
    assert inner
    assert {group.copies for group in inner} == {4}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "nonsense"}, "unknown"),
        ({"method": "ste"}, "needs data"),
        ({"start": "nowhere"}, "anchored"),
        ({"symmetries": "all"}, "permute"),
        ({"threads": -1}, "threads"),
        ({"threads": 1.5}, "whole number"),
        ({"seed": -1}, "seed"),
        ({"max_passes": 0}, "max_passes"),
        ({"model": 3}, "model="),
        ({"model": "resnext"}, "resnext"),
        ({"spec": "absent.json"}, "absent.json"),
        ({"dtype": "F8"}, "F64"),
    ],
)
def test_options_without_a_meaning_are_refused(arrays, options, said):
    with pytest.raises(rb.Error, match=said):
        rb.align(*arrays, **options)


def test_unknown_options_are_named(arrays):
    with pytest.raises(TypeError, match="'thread'"):
        rb.align(*arrays, thread=1)


@pytest.mark.parametrize(
    "options",
    [
        {"weights": [0.5]},
        {"weights": [0.5, 0.6]},
        {"lambda_": 2},
        {"lambda_": 0.5, "weights": [0.5, 0.5]},
        {"alignments": [None]},
        {"repair": "magic"},
        {"interpolation": "cubic"},
        {"align": "nonsense"},
    ],
)
def test_merges_without_a_meaning_are_refused(arrays, options):
    with pytest.raises(rb.UsageError):
        rb.merge(arrays, **options)


def test_a_merge_takes_a_list_of_models(play, arrays):
    with pytest.raises(rb.UsageError, match="list"):
        rb.merge(arrays[0])
    with pytest.raises(rb.UsageError, match="list"):
        rb.merge(str(play / "a.safetensors"))
    with pytest.raises(rb.UsageError, match="two models"):
        rb.merge(arrays[:1])


def test_errors_carry_code_and_hint_and_survive_pickling(play):
    with pytest.raises(rb.UsageError) as caught:
        rb.align(play / "a.safetensors", play / "b.safetensors", method="ste")
    error = caught.value
    assert error.code == "usage"
    assert "LibTorch" in error.hint
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.code, again.hint) == (str(error), error.code, error.hint)


def test_a_file_that_cannot_be_opened_is_an_oserror(tmp_path):
    with pytest.raises(OSError, match="cannot open"):
        rb.open(tmp_path / "absent.safetensors")
    (tmp_path / "bad.safetensors").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"bad\.safetensors"):
        rb.open(tmp_path / "bad.safetensors")


def test_the_balanced_and_scaled_options_reach_the_library(arrays):
    a, b = arrays
    scaled = {name: x.copy() for name, x in b.items()}
    scaled["fc1.weight"] *= 4
    scaled["fc1.bias"] *= 4
    scaled["fc2.weight"] /= 4
    plain = rb.align(a, b)
    r = rb.align(a, scaled, symmetries="permute+scale", model=rb.open(a).structure)
    assert all(
        np.array_equal(r.permutations[name], plain.permutations[name])
        for name in plain.permutations
    )
    kinds = {kind for _, kind, _ in r.factors}
    assert kinds == {"scale"}
