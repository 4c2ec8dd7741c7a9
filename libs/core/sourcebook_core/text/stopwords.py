"""Words that carry no content, per language, folded as `lexemes.fold` folds."""

_EN = """a about above after again against all also am an and any are as at be because been before being below between both but by can
could did do does doing down during each either else ever few for from further had has have having he her here hers herself him himself
his how however i if in into is it its itself just like may me might more most much must my myself neither no nor not now of off often on
once only or other ought our ours ourselves out over own per please rather same shall she should since so some still such than that the
their theirs them themselves then there therefore these they this those though through thus to too under until up upon us very was we were
what when where whether which while who whom whose why will with within without would yes yet you your yours yourself yourselves don doesn
didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ll ve re"""

_DE = """aber alle allem allen aller alles als also am an ander andere anderem anderen anderer anderes auch auf aus bei beim bin bis bist da
dabei dadurch dafür dagegen daher damit danach dann daran darauf daraus darin darüber darum das dass dasselbe davon dazu dein deine deinem
deinen deiner dem demselben den denen denn dennoch der deren derer derselbe des dessen dich die dies diese dieselbe diesem diesen dieser
dieses dir doch dort du durch ein eine einem einen einer eines einige einigem einigen einiger einiges einmal er es etwa etwas euch euer eure
eurem euren eurer für gegen gewesen gibt hab habe haben hat hatte hatten hattest hattet hier hin hinter ich ihm ihn ihnen ihr ihre ihrem
ihren ihrer ihres im in indem ins ist ja jede jedem jeden jeder jedes jedoch jene jenem jenen jener jenes jetzt kann kannst kein keine
keinem keinen keiner keines können könnte könnten man manche manchem manchen mancher manches mehr mein meine meinem meinen meiner meines
mich mir mit muss musste müssen nach nachdem nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seines seit selbst
sich sie sind so sobald solche solchem solchen solcher solches soll sollen sollte sollten sondern sonst sowie über um und uns unser unsere
unserem unseren unserer unter viel vom von vor während war waren warst was weil weiter welche welchem welchen welcher welches wenn wer werde
werden werdet wem wen wessen wie wieder wieso will wir wird wirst wo wobei woher wohin wollen wollte wurde wurden während warum zu zum zur
zwar zwischen bitte"""

_CS = """a aby ale ani ano asi až bez bude budem budeme budete budeš budou budu by byl byla byli bylo byly bych bychom byste byt být co což
či čím dál další do dokud ho i im ie jak jakmile jako jaká jaké jaký jakou jakým je jeho jej její jejich jemu jen jenž ještě ji jí jich jím
jimi jinak jiná jiné jiný jsem jsi jsme jsou jste k kam kde kdo kdy když ke která které kteří kterou který kterých kterým ku má mají máme
máte máš me mě mezi mi mít mne mně mnou moje mohou moci moc může můj my na nad nade nám námi nás náš naše našeho našem našich ne nebo neboť
nebyl nebyla nebylo nechť něco nej nejsou není než ni nic nich ním nimi o od ode on ona oni ono ony pak po pod podle pokud pouze proč pro
proto protože před přede přes přesto při s se sám sama samo si sice snad svá své svého svém svou svůj svých svým ta tak také takže tam tato
te tě tedy ten tento teď ti tím tímto to toho tohle tom tomto tomu tomuto tu tuto tvůj ty tyto tě u už v vám vámi vás váš vaše ve vedle však
všech všechno všichni vy z za zda zde ze že prosím"""

_ES = """a acá ahí al algo alguna algunas alguno algunos allí ambos ante antes aquel aquella aquellas aquello aquellos aquí así aun aún
aunque bajo bien cada casi como cómo con contra cual cuál cuales cuáles cualquier cuando cuándo cuanto cuánto cuya cuyo de del desde donde
dónde dos durante e el él ella ellas ello ellos en entonces entre era eran es esa esas ese eso esos esta ésta está están estaba estaban
estado estamos estar estas este éste esto estos estoy fue fueron ha haber había habían han has hasta hay he hemos la las le les lo los más
me mediante mi mis mía mío mientras muy nada ni no nos nosotras nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para
pero poco por porque pues que qué quien quién quienes se sea sean según ser si sí sido siendo sin sino sobre sois solo sólo somos son soy su
sus suya suyo tal también tampoco tan tanto te tener tenía ti tiene tienen toda todas todavía todo todos tras tu tú tus tuya tuyo un una
unas uno unos usted ustedes vosotras vosotros vuestra vuestro y ya yo"""

_FR = """a afin ai ainsi alors après as au aucun aucune aussi autre autres aux avaient avait avant avec avez avoir avons ayant beaucoup bien
c car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez ci comme comment contre d dans de depuis des dès donc dont du
durant elle elles en encore entre es est et étaient était étant été être eu eux fait faut fut hors il ils j je jusque l la là laquelle le
lequel les lesquelles lesquels leur leurs lors lorsque lui m ma mais me même mêmes mes mien moi moins mon n ne ni non nos notre nous on ont
or ou où par parce parmi pas pendant peu peut peuvent plus pour pourquoi pourtant pouvait puis puisque qu quand que quel quelle quelles
quels qui quoi s sa sans se selon sera serait seront ses si sien soi soit sommes son sont sous suis sur t ta tandis tant te tel telle telles
tels tes toi ton tous tout toute toutes très tu un une vers voici voilà vos votre vous y"""

STOP_WORDS: dict[str, frozenset[str]] = {
    language: frozenset(words.casefold().split()) for language, words in {"en": _EN, "de": _DE, "cs": _CS, "es": _ES, "fr": _FR}.items()
}
