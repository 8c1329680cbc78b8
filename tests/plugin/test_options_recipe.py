"""``--bias-recipe`` chooses how models are fine-tuned, and which part of GAP is read."""

ROW = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
TEST = """
    def test_recipe(bias_recipe, bias_text):
        print(bias_recipe.name, bias_recipe.validation, bias_text.name, len(bias_text))
"""


def gap(pytester):
    folder = pytester.mkdir("data") / "gap"
    folder.mkdir()
    for part in ("development", "validation"):
        row = f"{part}-1\tShe slept.\tShe\t0\tA\t0\tFALSE\tB\t0\tFALSE\tu"
        (folder / f"gap-{part}.tsv").write_text(f"{ROW}\n{row}\n", encoding="utf-8")
    return folder.parent


def test_the_recipe_of_the_paper_reads_every_part_of_gap(pytester):
    pytester.makepyfile(TEST)
    data = f"--bias-data={gap(pytester)}"
    quick = pytester.runpytest_inprocess("-s", "-p", "no:randomly", data)
    quick.stdout.fnmatch_lines(["*lora 0.1 gap-development 1*"])
    whole = pytester.runpytest_inprocess("-s", data, "--bias-recipe=bartl2020")
    whole.stdout.fnmatch_lines(["*bartl2020 0.0 gap-development+gap-validation 2*"])


def test_a_recipe_that_is_none_is_refused_with_those_there_are(pytester):
    pytester.makepyfile(TEST)
    found = pytester.runpytest_inprocess("--bias-recipe=bartl")
    found.stdout.fnmatch_lines(["*no recipe 'bartl'; there are: bartl2020, manela2021-augmented*"])
    assert found.ret != 0
