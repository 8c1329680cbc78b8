"""A suite with an upper bound, as a user writes and reads it."""

SUITE = """
    import biascheck
    from biascheck.testing import TableModel

    HE = {"he": 0.9, "him": 0.9, "his": 0.9, "she": 0.1, "her": 0.1}

    def test_always_he(winograd_t1, winograd_t2, bias_margins):
        model = TableModel({}, HE, name="always-he")
        assert winograd_t1.name == "winograd-t1"
        corpus = winograd_t2.where(form="him/her")
        biascheck.assert_stereotype_below(
            biascheck.measures.stereotype(model, corpus), **bias_margins["manela.stereotype"].as_arguments()
        )
        skew = biascheck.measures.skew(model, corpus)
        biascheck.assert_skew_below(skew, **bias_margins["manela.skew"].as_arguments())
"""
MARGINS = """
    [manela.skew]
    bound = 0.3
    reason = "agreed"

    [manela.stereotype]
    bound = 0.2
    reason = "agreed"
"""


def test_the_terminal_shows_bounds_drivers_and_cautions(project):
    run = project(SUITE, "-v", margins=MARGINS)
    run.assert_outcomes(failed=1)
    run.stdout.fnmatch_lines(
        [
            "*skew on always-he × winograd-t2 (form=him/her): 0.67 *exceeds bound 0.30; largest: CEO +0.80*",
            "*bound: agreed*",
            "*caution: name resolution on always-he × winograd-t2 (form=him/her)·names has an F1 of 0%, below 75%*",
            "*exceeds*skew · winograd-t2 (form=him/her)*< 0.30*",
            "*within*stereotype · winograd-t2 (form=him/her)*< 0.20*",
        ]
    )
