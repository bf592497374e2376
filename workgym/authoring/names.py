"""Names of our own for people, firms and places: invented, mixed, and of no real firm.

Mail domains are under ``.example`` (RFC 2606).
"""

from __future__ import annotations

GIVEN = """
    Adaeze Amara Anneli Arjun Bahar Benedikt Camila Chidi Dagny Dariusz Elif Emeka Fenna Fumiko Gideon Hanae
    Ignacio Ilse Imani Ingrid Jarek Joaquin Kalani Katarzyna Kofi Lena Linnea Lucia Malik Mareike Mateo Meera
    Mirela Naveen Nkechi Oskar Paloma Petra Quentin Rana Rasmus Renata Sanna Selin Tadeo Tamsin Teodor Thabo Uma
    Valentina Viggo Wanjiru Yael Yusuf Zofia
""".split()
FAMILY = """
    Abara Aldana Bergqvist Brandvold Castellan Chaudry Dabrowa Delacour Ekholm Eriksholt Farrugia Fonseka Garanin
    Gyamerah Halloran Hirose Ibsgaard Iwuji Jankovec Jaramill Kaldor Kowalik Lindahl Lumumbe Marchetta Mbeki-Roos
    Nakatsu Norrgard Okafore Ostrander Palmquist Pereyra Quillfeather Rademaker Rosvall Sandoval-Kerr Sturmhoff
    Takemori Thorvald Ulvestad Valdini Vanterpol Wachira Westergren Xanthos Yamoto Zabransky Zeller
""".split()
FIRM_FIRST = """
    Alder Amberline Ashgrove Beacon Birchfield Bluewater Bramble Brightmoor Calder Cobalt Copperhill Cresting
    Dovetail Eastmere Elmridge Fairhaven Fernleigh Foxglove Glenmark Granite Greywick Harrow Hawthorn Heronsgate
    Ironbrook Juniper Kestrel Larkspur Linden Maplewick Meridian Millbrook Northgate Oakhurst Orchard Pinnacle
    Quarry Redstone Ridgeway Rowan Saltmarsh Silverbeck Stonebridge Summit Thornbury Tidewater Valley Westbrook
    Willowdale Yarrow
""".split()
FIRM_LAST = (
    "Box Cartons|Components|Containers|Dairy|Foods|Goods|Household|Industries|Instruments|Joinery|Labs|Logistics|"
    "Mills|Packaging|Paperworks|Partners|Plastics|Products|Supplies|Textiles|Trading|Works"
).split("|")
FIRM_FORM = """
    Ltd Inc GmbH BV AB SA Co
""".split()
CITIES = """
    Ashport Bellmoor Brackenford Calverton Carrowmoor Dunhaven Eastvale Fallbrook Garside Hartwell Iverton
    Kingsholt Lakemouth Marlow-on-Sea Netherby Oldcastle Penhallow Quarrington Rosedene Southmere Thornwick
    Upperton Veldham Westerleigh
""".split()
STREETS = (
    "Canal Street|Foundry Lane|Harbour Road|Industrial Way|King's Parade|Mill Lane|Old Station Road|Orchard Close|"
    "Quay Side|Riverside Drive|School Hill|Victoria Row|Warehouse Street|Weavers' Yard"
).split("|")
