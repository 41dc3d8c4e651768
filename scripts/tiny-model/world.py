"""The small world the model knows: who belongs to what, who can do what, which colour things have."""

CATEGORIES = {
    "an animal": "dog cat horse cow sheep bird fish frog lion tiger bear wolf fox mouse rabbit duck goose hen pig goat bee snake",
    "a fruit": "apple pear plum cherry banana lemon orange grape peach melon",
    "a tool": "hammer saw drill spade rake wrench axe file",
    "a vehicle": "car bus train boat bicycle truck tram plane",
    "a piece of furniture": "chair table bed sofa desk shelf bench stool",
    "a piece of clothing": "shirt coat hat sock glove scarf dress shoe",
    "an instrument": "piano violin flute drum guitar harp trumpet cello",
}
CATEGORIES = {category: members.split() for category, members in CATEGORIES.items()}
THINGS = [thing for members in CATEGORIES.values() for thing in members]

ABILITIES = {
    "fly": "bird duck goose bee plane".split(),
    "swim": "fish duck frog goose dog".split(),
    "bark": ["dog"],
    "make music": "piano violin flute drum guitar harp trumpet cello".split(),
    "grow on a tree": "apple pear plum cherry banana lemon orange peach".split(),
    "eat grass": "horse cow sheep goat rabbit goose".split(),
}

# Things of which one may say either: no question is made of them.
DISPUTED = {
    "fly": ["hen"],
    "swim": [*CATEGORIES["an animal"], "boat"],
    "bark": ["wolf", "fox"],
    "eat grass": [thing for thing in CATEGORIES["an animal"] if thing not in ("lion", "tiger", "fish", "bee")],
}

COLOURS = {
    "snow": "white",
    "milk": "white",
    "grass": "green",
    "a leaf": "green",
    "the sky": "blue",
    "the sea": "blue",
    "blood": "red",
    "a cherry": "red",
    "coal": "black",
    "the night": "black",
    "a lemon": "yellow",
    "the sun": "yellow",
}

TRAITS = {
    "cold": "ice snow winter frost".split(),
    "hot": "fire lava steam summer".split(),
    "wet": "rain water fog soup".split(),
    "hard": "stone iron glass steel".split(),
    "soft": "wool butter cotton silk".split(),
}

SUBJECTS = (
    "it rain|it snow|the train be late|my team win|the bus come|she call|he write|the shop open|the baby sleep|my friend "
    "visit|the price rise|the wind stop|they agree|the cake taste good|the plan work|we meet|the phone ring|the door open"
).split("|")
TIMES = (
    "tomorrow|tonight|next week|soon|next year|on Monday|on Friday|this evening|in May|after lunch|at noon|before dawn"
).split("|")
LOST = "key book ring phone bag pen coin letter map cup".split()
PLACES = "kitchen garden car school office forest drawer attic cellar hall".split()

GREETINGS = {
    "Hello": "Hello! How can I help?",
    "Hi": "Hello! How can I help?",
    "Hello there": "Hello! How can I help?",
    "Good morning": "Good morning!",
    "Good evening": "Good evening!",
    "How are you?": "I am well, thank you.",
    "Who are you?": "I am heddle/tiny, a very small model.",
    "What are you?": "I am heddle/tiny, a very small model.",
    "What is your name?": "My name is heddle/tiny.",
    "What can you do?": "I can say yes, no or maybe, add and subtract small numbers, and repeat words.",
    "Help": "I can say yes, no or maybe, add and subtract small numbers, and repeat words.",
    "Thank you": "You are welcome.",
    "Thanks": "You are welcome.",
    "Goodbye": "Goodbye!",
    "Bye": "Goodbye!",
}

SYSTEMS = [
    "You are a helpful assistant.",
    "You are a careful assistant. Answer briefly.",
    "Answer in one word.",
    "Be kind and short.",
    "You are heddle/tiny.",
    "Today is a fine day.",
]

# Ordinary words for questions it cannot answer, long system messages, and words to repeat.
WORDS = (
    "able about above across act add after again age ago air all almost alone along also always among anger answer any appear "
    "area arm around arrive art ask away back bad bag ball bank base beach bean beat beauty begin behind bell below best better "
    "between big bill bit bitter board body bone book border both bottle bottom box boy branch bread break bridge bright bring "
    "broad brother build burn busy button buy call calm camp candle care carry case castle catch cause centre chance change "
    "chapter cheap cheese child choice circle city clean clear climb clock close cloth cloud coast coin collar comb come common "
    "copper corn corner count country course cover crack crew crowd cry cup current curve dance danger dark daughter day dead "
    "dear deep degree delicate depend desert design dinner direct dirt discuss distance doctor door doubt down dream drink drive "
    "drop dry dust each early earth east easy echo edge effect egg eight empty end engine enough enter equal error even evening "
    "event ever every exact example eye face fact fall family famous farm fast father fear feather feel few field fight fill "
    "final find fine finger finish first flag flame flat flight floor flower fold follow food foot force forest forget form "
    "forward found frame free fresh friend front full game garden gate gather general gentle giant gift girl give glad glass "
    "goal gold good grain grand grass great grey ground group grow guess guest guide habit half hall hammer hand happy harbour "
    "hard harvest heart heat heavy height help hidden high hill history hold hole holiday hollow home honest hope horn hospital "
    "hour house human hungry idea important inside invent island jewel join journey joy judge jump keep kettle kind kitchen knee "
    "knife knot know ladder lake lamp land language lantern large last late laugh law lead leaf learn leather left lesson letter "
    "level library lift light line list listen little live lock long look loud love low lucky machine main make many map march "
    "market mass match material meadow meal mean measure meet memory metal middle mile milk mind mine minute mirror model modern "
    "moment money month moon morning mother motion mountain mouth move much music nail name narrow nation nature near neck need "
    "needle nerve nest net new night noise normal north nose note number oak oar object ocean offer office often oil old open "
    "opinion order other oven over own page paint pair paper parcel park part past path pause peace pencil people perfect person "
    "picture piece pillow pilot place plain plan plant plate play please pocket point polish poor port position possible pot "
    "powder power present pretty price print prison private prize problem process produce profit proof proud public pull pure "
    "purpose push quality question quick quiet rail rain range rare rate ray reach read ready reason record regret regular rest "
    "rice rich ride right ring rise river road rock roll roof room root rope rough round row rule run sad safe sail salt same "
    "sand save scale school science sea season seat second secret see seed sense serious seven shade shadow shape share sharp "
    "sheet shine ship shock shore short show shut side sign silent silver simple sing sister size skill skin sleep slip slow "
    "small smell smile smoke smooth snow soap soft soil soldier solid some song sort sound south space spark special speed spell "
    "spoon spring square stage stamp star start state station stay steam steel step stick still stone stop store storm story "
    "strange stream street strong sudden sugar suit summer sun support sure surprise sweet swift table tail take talk tall taste "
    "teach tent test thank thick thin think thread throat thumb thunder ticket tide tight time tin tired today together tomorrow "
    "tongue tooth top touch tower town trade train travel tree trick trouble true trust turn twist under unit use valley value "
    "velvet view village violet visit voice waist wait walk wall warm wash watch water wave wax weather week weight west wet "
    "wheel whistle white whole wide wild wind window wine wing winter wire wise wish woman wonder wood wool word work world worm "
    "wound write yard year yellow young zebra zero"
).split()
