"""From text to a mended value: each way of reading is tried only if the one before failed.

Strict JSON; wrappers taken off exactly; the lenient reader; the lenient reader with the schema deciding where strings
end; one object among prose; json-repair behind guards. A reading counts if it validates after mending; two different
ones that do are an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, TypeAlias

from toolmend.repairs.engine import Mender
from toolmend.repairs.errors import AmbiguousError, CutOffError, NotJsonError, RepairError
from toolmend.repairs.record import JsonValue, Mended, Refusal, Repair, snippet
from toolmend.repairs.schema import json_type
from toolmend.repairs.text.brackets import BRACKETS
from toolmend.repairs.text.cursor import Options, QuoteError, place
from toolmend.repairs.text.fallback import read_guarded
from toolmend.repairs.text.guard import check_depth, check_length
from toolmend.repairs.text.lenient import Reader
from toolmend.repairs.text.prose import read_objects
from toolmend.repairs.text.reading import Reading, may_close
from toolmend.repairs.text.strict import identical, read_strict, read_with_controls
from toolmend.repairs.text.tokens import BLANKS, OPENERS, QUOTES
from toolmend.repairs.text.unwrap import Layer, layers

__all__ = ("mend_text",)

MAX_READINGS = 8
"""Most ways of reading one text that are compared, where brackets leave several open."""

_RESHAPING: Final = frozenset({"wrap-item", "unwrap-item", "split-text", "lifted-object"})
"""Rules of values that make a list of an item, or the reverse."""

_QUOTES: Final = frozenset({"inner-quotes", "lost-quote"})
_RENAMING: Final = frozenset({"lone-key", "key-slip"})
"""Rules of text that know the ends of strings by the keys, and rules of values that guess at a key."""

MAX_ENCODINGS = 2
"""How often arguments may be encoded as a JSON string."""


Decide: TypeAlias = Callable[[JsonValue], JsonValue]
"""Gives a value that was read from text with plain numbers if it is valid as it stands; None if more must be asked."""


def mend_text(
    text: str,
    mender: Mender,
    *,
    complete: bool | None = None,
    callees: frozenset[str] = frozenset(),
    broken: bool = False,
    decide: Decide | None = None,
) -> Mended:
    """Read the arguments of one tool from text and mend them.

    Args:
        text: the text as the model wrote it.
        mender: the schema with its rules and policy.
        complete: True if the model is known to have stopped by itself, False if it was cut off, None if unknown.
        callees: names that may stand like a call around the arguments (the tool's own).
        broken: whether it is known already that the text is no strict JSON.
        decide: a shorter way to know that nothing is wrong with a value.

    Returns:
        The value that satisfies the schema, with everything that was changed on record.

    Raises:
        NotJsonError: if no reading is JSON.
        CutOffError: if the text stops in the middle.
        AmbiguousError: if two different readings validate.
        SchemaMismatchError: if it is JSON, and breaks the schema.
        LimitError: if it is too long, too deep, or takes too much work.
    """
    return _Ladder(mender, complete, callees, decide).climb(text, (), broken=broken)


class _Ladder:
    """One text on its way up; holds what all steps need."""

    def __init__(
        self, mender: Mender, complete: bool | None, callees: frozenset[str], decide: Decide | None = None
    ) -> None:
        self.mender = mender
        self.decide = decide
        self.complete = complete
        self.policy = mender.policy
        self.options = Options(
            schema=mender.schema,
            aliases=mender.aliases,
            callees=callees | {"dict"},
            complete=complete,
            limits=mender.policy.limits,
            bounded=True,
        )

    def climb(self, text: str, before: tuple[Repair, ...], encodings: int = 0, *, broken: bool = False) -> Mended:
        """Take the steps in order."""
        limits = self.policy.limits
        check_length(text, limits.strict_chars)
        check_depth(text, limits.depth)
        if not text.strip():
            return self.finish({}, (*before, Repair("empty-arguments", "lossless", before=snippet(text), after="{}")))
        reading = read_with_controls(text) if broken else read_strict(text)
        if reading is not None:
            return self.settle_value(replace(reading, repairs=(*before, *reading.repairs)), encodings)
        self.refuse_unmendable(text)
        check_length(text, limits.lenient_chars)
        bare = Layer(text, before, None if encodings else 0, self.mender.schema.members.keys())
        for layer in layers(bare):
            bare = layer
            if (reading := read_strict(layer.text)) is not None:
                return self.settle_value(replace(reading, repairs=(*layer.repairs, *reading.repairs)), encodings)
        return self.read_leniently(bare, encodings)

    def refuse_unmendable(self, text: str) -> None:
        """Stop here if the policy mends nothing, or the model was cut off in the middle."""
        if not self.policy.kinds and not self.policy.allow:
            line, column, around = place(text, _json_error_at(text))
            message = f"this is not strict JSON at line {line}, column {column}, near {around!r}"
            raise NotJsonError(message, line=line, column=column, given=around, expected="strict JSON")
        if self.complete is False and text.rstrip(" \t\r\n`;")[-1:] not in ("}", "]", ")", ">", '"'):
            raise CutOffError(
                "the model's output was cut off by the length limit: something is missing", expected="a shorter call"
            )

    # ------------------------------------------------------------------ steps

    def read_leniently(self, layer: Layer, encodings: int) -> Mended:
        """Forgive what stands between tokens; then let the schema find the ends of strings; then look further."""
        error: RepairError | None = None
        if _begins_like_value(layer.text) or self.begins_like_member(layer.text):
            for schema_strings in (False, True):
                try:
                    readings = self.readings(layer, schema_strings=schema_strings)
                except (NotJsonError, CutOffError) as failure:
                    error = failure if error is None or isinstance(failure, CutOffError) else error
                    if isinstance(failure, NotJsonError) and failure.final:
                        raise
                    if not isinstance(failure, (QuoteError, CutOffError)):
                        break
                else:
                    return self.settle(readings, encodings)
        if isinstance(error, CutOffError):
            raise error
        return self.read_further(layer, error, encodings)

    def read_further(self, layer: Layer, error: RepairError | None, encodings: int) -> Mended:
        """Look for the one object among prose; take bare text where a rule wants it; ask json-repair at last."""
        found = read_objects(layer, self.options)
        if found is not None:
            return self.settle([found], encodings)
        if self.mender.bare_text and error is None:
            return self.finish(layer.text.strip(), layer.repairs)
        guarded = None if isinstance(error, QuoteError) else read_guarded(layer.text, self.policy.limits.fallback_chars)
        if guarded is not None:
            return self.settle([replace(guarded, repairs=(*layer.repairs, *guarded.repairs))], encodings)
        if error is not None:
            raise error
        _, _, around = place(layer.text, 0)
        raise NotJsonError(
            f"no JSON object was found, the text begins {around!r}", given=around, expected="one JSON object"
        )

    def begins_like_member(self, text: str) -> bool:
        """Whether the text begins like a member of an object, or like a call around its members."""
        try:
            return Reader(text, 0, self.options).begins_inside()
        except RepairError:
            return False

    def readings(self, layer: Layer, *, schema_strings: bool) -> list[Reading]:
        """Every way of reading the text that brackets leave open, the likeliest first."""
        options = self.options
        if schema_strings or layer.offset is None:  # whose nesting nobody has looked at: it was decoded out of the text
            options = replace(options, schema_strings=schema_strings, bounded=layer.offset is not None)
        todo: list[tuple[int, ...]] = [()]
        found: list[Reading] = []
        error: RepairError | None = None
        for _ in range(MAX_READINGS):
            if not todo:
                break
            decisions = todo.pop(0)
            reader = Reader(layer.text, 0, replace(options, decisions=decisions) if decisions else options)
            try:
                found.append(_placed(reader.read(), layer))
            except RepairError as failure:
                error = error or failure
            for index in range(len(decisions), len(reader.choices)):
                taken = (*decisions, *(0,) * (index - len(decisions)))
                todo += [(*taken, option) for option in range(1, reader.choices[index])]
        if error is not None and not found:
            raise error
        if todo:
            raise AmbiguousError("brackets are wrong in too many places", expected="plain JSON")
        return found

    # ------------------------------------------------------------------ settling

    def settle(self, readings: Iterable[Reading], encodings: int) -> Mended:
        """The one reading that validates after mending."""
        found: list[Mended] = []
        error: RepairError | None = None
        for reading in readings:
            try:
                self.refuse_empty(reading)
                mended = self.settle_value(reading, encodings)
            except RepairError as failure:
                error = error or failure
            else:
                if not any(identical(mended.value, other.value) for other in found):
                    found.append(mended)
        if len(found) > 1:
            message = "the text can be read in more than one way: " + " or ".join(
                snippet(item.value, 60) for item in found[:3]
            )
            raise AmbiguousError(message, expected="plain JSON")
        if found:
            return found[0]
        raise error or NotJsonError("no reading of the text is JSON")

    def settle_value(self, reading: Reading, encodings: int) -> Mended:
        """Mend what was read, once the text is known to be whole and its repairs to be allowed."""
        if not may_close(reading, self.mender.schema, self.complete):
            message = "the text ends before the object is closed: further members may be missing"
            raise CutOffError(message, path=reading.unclosed[0], expected="the whole call again")
        if self.complete is False and any(repair.rule in BRACKETS for repair in reading.repairs):
            raise CutOffError("the output was cut off, and brackets are wrong or missing", expected="a shorter call")
        if isinstance(reading.value, dict):
            return self.finish(reading.value, reading.repairs)
        return self.settle_other(reading, encodings)

    def finish(self, value: JsonValue, repairs: tuple[Repair, ...]) -> Mended:
        """Mend a value, if the repairs of its text are allowed."""
        refused = [repair for repair in repairs if not self.policy.allows(repair.rule, repair.kind)]
        if refused:
            names = ", ".join(dict.fromkeys(repair.rule for repair in refused))
            refusals = tuple(Refusal(repair.rule, repair.path, "the policy does not allow it") for repair in refused)
            raise NotJsonError(
                f"the text needs repairs that are not allowed here: {names}", expected="strict JSON", refused=refusals
            )
        plain = self.decide(value) if self.decide is not None and isinstance(value, dict) else None
        return _only_once(self.mender.mend(value, repairs=repairs) if plain is None else Mended(plain, repairs))

    def settle_other(self, reading: Reading, encodings: int) -> Mended:
        """Deal with a value that is no object, where an object is wanted."""
        value = reading.value
        if not self.wants_object(value):
            self.refuse_cut_scalar(reading)
            return self.finish(value, reading.repairs)
        if value is None or value in ("", []):
            repair = Repair("empty-arguments", "lossless", before=snippet(value), after="{}")
            return self.finish({}, (*reading.repairs, repair))
        if isinstance(value, list):
            return self.settle_list(value, reading)
        if isinstance(value, str) and _looks_like_json(value):
            return self.settle_encoded(value, reading, encodings)
        self.refuse_cut_scalar(reading)
        if isinstance(value, str) and reading.repairs and "{" in value and "}" in value:
            message = "text with braces in it is no plain text"
            raise NotJsonError(message, given=snippet(value), expected="a JSON object")
        return self.finish(value, reading.repairs)

    def wants_object(self, value: JsonValue) -> bool:
        """Whether an object is wanted, and a value of this type is not."""
        schema = self.mender.schema
        return schema.allows("object") and not schema.allows(json_type(value))

    def refuse_empty(self, reading: Reading) -> None:
        """Refuse nothing at all where an object is wanted, if it had to be mended to be read."""
        if reading.value in (None, "", []) and self.wants_object(reading.value):
            raise NotJsonError("nothing that is an object stands there", expected="a JSON object")

    def refuse_cut_scalar(self, reading: Reading) -> None:
        """Refuse a bare number, or a key, that is the whole text: more may have followed."""
        value = reading.value
        if self.complete is True:
            return
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            message = f"the text is the bare number {snippet(value)}, of which digits may be missing"
            raise CutOffError(message, given=snippet(value), expected="a JSON object")
        if isinstance(value, str) and value in self.mender.schema.members:
            raise CutOffError(f"the text is the key {snippet(value)!r} alone", expected="a JSON object")

    def settle_list(self, items: list[object], reading: Reading) -> Mended:
        """Take the one object out of a list."""
        first = items[0]
        if not isinstance(first, dict) or not all(identical(first, item) for item in items):
            if all(isinstance(item, dict) for item in items):
                message = f"one object of arguments is wanted, not a list of {len(items)}"
                raise AmbiguousError(message, expected="one JSON object", given=snippet(items))
            if any(repair.rule == "bare-text" for repair in reading.repairs):
                raise NotJsonError("words in brackets are no arguments", given=snippet(items), expected="a JSON object")
            return self.finish(items, reading.repairs)
        repair = Repair("object-in-list", "lossless", before=snippet(items), after=snippet(first))
        return self.finish(first, (*reading.repairs, repair))

    def settle_encoded(self, text: str, reading: Reading, encodings: int) -> Mended:
        """Read the JSON text that a JSON string holds."""
        if encodings >= MAX_ENCODINGS:
            raise NotJsonError(
                "the arguments are encoded as a JSON string more than twice", expected="a JSON object", final=True
            )
        repair = Repair("double-encoded", "lossless", before=snippet(f'"{text}"'), after=snippet(text))
        return self.climb(text, (*reading.repairs, repair), encodings + 1)


def _only_once(mended: Mended) -> Mended:
    """Refuse a value for which the text was guessed at, and the value once more."""
    rules = {repair.rule for repair in mended.repairs}
    if rules & BRACKETS and rules & _RESHAPING:
        message = "brackets are missing or wrong, and a list holds what it should not"
        raise AmbiguousError(message, given=snippet(mended.value), expected="plain JSON")
    if rules & _QUOTES and rules & _RENAMING:
        message = "quotes in strings are not escaped, and a key is not known"
        raise AmbiguousError(message, given=snippet(mended.value), expected="plain JSON")
    return mended


def _begins_like_value(text: str) -> bool:
    return text[:1] in OPENERS or (text[:1] in QUOTES and not text.startswith("```"))


def _looks_like_json(text: str) -> bool:
    begin = text.lstrip(BLANKS + "`")
    return begin[:1] in ("{", "[", '"') or text.lstrip().startswith(("```", "&quot;"))


def _json_error_at(text: str) -> int:
    """Where the standard decoder stops."""
    import json

    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos
    return 0


def _placed(reading: Reading, layer: Layer) -> Reading:
    """The reading with its spans counted from the start of the raw text, and the wrappers in front."""
    repairs = reading.repairs
    if layer.offset == 0 and not layer.repairs:
        return reading
    if layer.offset is None:
        repairs = tuple(replace(repair, span=None) for repair in repairs)
    elif layer.offset:
        offset = layer.offset
        repairs = tuple(
            replace(repair, span=(repair.span[0] + offset, repair.span[1] + offset)) if repair.span else repair
            for repair in repairs
        )
    return replace(reading, repairs=(*layer.repairs, *repairs))
