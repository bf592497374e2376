"""Work with many right answers: tables whose rows are the solver's choice, and rules over them."""
