"""A company's look: fonts, colours, letterhead, logo, stamps and signatures."""
