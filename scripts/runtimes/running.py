"""Files run by ONNX Runtime on inputs that are the same every time."""

import numpy
import onnxruntime


def session_of(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(path, options,
                                        ['CPUExecutionProvider'])


def value_of(one, sizes, random):
    """An input, as exports.json describes it."""
    shape = [sizes.get(axis, axis) for axis in one['axes']]
    if one['kind'] == 'ids':
        return random.integers(0, one['below'], shape)
    if one['kind'] == 'lengths':
        batch, longest = shape
        return numpy.array([max(1, longest - i) for i in range(batch)])
    return random.standard_normal(shape).astype(numpy.float32)


def feeds_of(record, sizes, session):
    """Inputs that the exporter found unused are not in the file."""
    random = numpy.random.default_rng(3)
    values = {one['name']: value_of(one, sizes, random)
              for one in record['inputs']}
    taken = [one.name for one in session.get_inputs()]
    return {name: values[name] for name in taken}


def difference_of(one, other):
    """|f - f'| / max |f|, or infinity for outputs of other shapes."""
    if one.shape != other.shape:
        return float('inf')
    if one.size == 0:
        return 0.0
    one, other = one.astype(numpy.float64), other.astype(numpy.float64)
    if not numpy.array_equal(numpy.isnan(one), numpy.isnan(other)):
        return float('inf')
    apart = numpy.abs(numpy.where(one == other, 0, one - other))
    largest = numpy.max(numpy.abs(one[numpy.isfinite(one)]), initial=0)
    return float(numpy.nanmax(apart, initial=0) / (largest or 1))


def largest_difference(one, other, feeds):
    pairs = zip(one.run(None, feeds), other.run(None, feeds))
    return max(difference_of(*pair) for pair in pairs)


def failure(session, feeds):
    """Why B itself does not run at a size; nothing if it does."""
    try:
        session.run(None, feeds)
    except Exception as error:  # the exporter kept the traced size
        return f'does not run: {str(error).splitlines()[0][:150]}'
    return ''


def differences(record, original, permuted):
    """For each size the largest difference, or why B itself does not run."""
    try:
        one = session_of(original)
    except Exception as error:  # the exporter wrote an invalid file
        return [f'invalid: {str(error).splitlines()[0][:250]}']
    other = session_of(permuted)
    all_feeds = [feeds_of(record, sizes, one) for sizes in record['sizes']]
    return [failure(one, feeds) or largest_difference(one, other, feeds)
            for feeds in all_feeds]
