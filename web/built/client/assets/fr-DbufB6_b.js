var e=[{id:`join`,heading:`S’inscrire`,html:`<p>Ouvrez le lien que vous avez reçu, par exemple <code>https://social.example.org/join?invite=…</code>. Choisissez un nom, et une passkey ou un mot de passe\xA0: votre navigateur crée la clé à laquelle appartient votre compte, la verrouille avec la passkey ou le mot de passe et la garde. Imprimez la fiche de récupération\xA0: ses mots vous permettent de vous connecter partout, et personne d’autre ne peut vous les rendre. Si vous avez un portefeuille, «\xA0Utiliser plutôt un portefeuille\xA0» lui confie le compte.</p>
`},{id:`write`,heading:`Écrire`,html:`<ul>
<li><strong>Écrire</strong> ouvre l’espace où rédiger une publication. Un texte peut faire 320 octets\xA0; on peut ajouter des images et des vidéos si le serveur en accepte. <code>@name</code> mentionne une personne, et un lien montre où il mène.</li>
<li><strong>Sondage</strong>, pendant la rédaction, pose une question avec deux à six réponses. Tout le monde voit le résultat, personne ne voit qui a choisi quoi, et vous pouvez changer votre vote jusqu’à la fin.</li>
<li><strong>Répondre, Citer, Republier et J’aime</strong> se trouvent sous chaque publication. Pour supprimer une publication à vous, ouvrez son menu.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Trouver des personnes et des canaux`,html:`<ul>
<li><strong>Explorer</strong> montre les tags et les publications dont on parle beaucoup, les nouvelles images, les nouvelles personnes et les nouveaux canaux.</li>
<li><strong>Rechercher</strong> trouve des publications, des personnes et des canaux. «\xA0Filtres\xA0» affine par personne, canal, jours et images\xA0; vous pouvez aussi taper <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Suivre</strong> des personnes et des canaux, c’est voir dans Accueil ce qu’on y écrit. Les notifications vous disent qui vous a répondu, a aimé une de vos publications ou vous suit.</li>
<li><strong>Tags et listes</strong>\xA0: suivez un <code>#tag</code> depuis sa recherche, et mettez des personnes sur une de vos listes depuis leur profil. Les deux sont des onglets d’Accueil que personne d’autre ne voit.</li>
<li>Les <strong>canaux</strong> sont des lieux consacrés à un sujet. Ce que vous y écrivez apparaît dans le canal et aussi sur votre profil\xA0; certains canaux ne montrent que ce qu’écrivent leurs membres. Suivez un canal pour le lire dans Accueil\xA0; sa modération peut vous inviter à en devenir membre. Un canal peut avoir des règles, à lire avant votre première publication, et la liste des canaux indique combien de publications sont nouvelles.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Publications dans d’autres langues`,html:`<ul>
<li><strong>Traduire</strong> se trouve sous une publication dans une langue que vous ne lisez pas. Le serveur traduit si son équipe a installé un traducteur, qui ne reçoit que le texte\xA0; sinon votre navigateur, s’il sait le faire\xA0; sinon vous choisissez une application ou une page, qui reçoit alors le texte.</li>
<li><strong>Langues que je lis</strong>, dans les paramètres\xA0: dans les listes pour tout le monde, les publications de personnes que vous ne suivez pas, écrites dans d’autres langues, sont repliées en une ligne, et «\xA0Afficher\xA0» les déplie. Celles des personnes que vous suivez ne le sont jamais. Personne ne voit votre choix.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Masquer, bloquer et signaler`,html:`<p>Tout cela est dans le menu de chaque publication et de chaque personne.</p>
<ul>
<li><strong>Masquer</strong> une personne, un canal ou un mot\xA0: vous n’en voyez plus rien. Personne n’en est informé.</li>
<li><strong>Bloquer</strong> une personne\xA0: ici, elle ne peut plus vous répondre, vous mentionner ni vous citer. Les autres peuvent voir qui vous bloquez.</li>
<li><strong>Signaler</strong> ce qui enfreint les règles. La modération le lit et décide\xA0; vous saurez quelle suite a été donnée. La personne n’apprend pas qui l’a signalée.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Quand la modération prend une décision à votre sujet`,html:`<p>Les notifications vous disent ce qui a été décidé et pourquoi, par exemple que des publications ont été masquées. Vous pouvez contester une fois chaque décision\xA0: ouvrez «\xA0Signalements\xA0» dans les paramètres et écrivez ce qui a échappé à la modération. Tant qu’un compte est suspendu, il ne peut pas écrire, mais il peut toujours contester et emporter ses données.</p>
`},{id:`what-is-public`,heading:`Ce qui est public`,html:`<p>Tout ce que vous écrivez est public et signé par vous\xA0: vos publications, vos J’aime, les personnes que vous suivez, votre profil et les personnes que vous bloquez. Le serveur ne peut rien y changer. Ce qui a été copié ailleurs y reste quand vous le supprimez. Ce que vous masquez, ajoutez aux signets ou signalez n’est pas public.</p>
`},{id:`passkey-password-and-12-words`,heading:`Passkey, mot de passe et 12 mots`,html:`<ul>
<li>Les <strong>12 mots</strong> sont votre compte. Qui les a le possède, dans n’importe quel navigateur et n’importe quel portefeuille. Gardez-les sur papier\xA0; ne les tapez jamais ailleurs qu’ici.</li>
<li>Une <strong>passkey</strong> ouvre votre compte avec le verrouillage de votre téléphone ou de votre ordinateur\xA0: un doigt, un visage, un code PIN. Elle est liée à l’adresse de ce serveur.</li>
<li>Un <strong>mot de passe</strong> fait la même chose partout où vous vous en souvenez. Le serveur ne l’apprend jamais, donc personne ne peut le retrouver pour vous.</li>
</ul>
<p>Vous pouvez en avoir plusieurs\xA0: ajoutez-en et retirez-en dans les paramètres, sous «\xA0Connexion et appareils\xA0».</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Un appareil perdu, un mot de passe perdu`,html:`<ul>
<li>Connectez-vous sur un autre appareil avec une passkey, le mot de passe ou les 12 mots, et retirez l’appareil perdu dans les paramètres\xA0: il ne peut plus écrire à votre place.</li>
<li>Sans passkey ni mot de passe, utilisez les 12 mots\xA0: «\xA0S’inscrire ou se connecter\xA0», puis «\xA0Se connecter\xA0», et définissez un nouveau mot de passe.</li>
<li>Sans rien de tout cela\xA0: si le serveur propose la récupération et que vous l’aviez permise, choisissez «\xA0Vous avez tout perdu\xA0?\xA0» dans «\xA0Se connecter\xA0». Un lien vous est envoyé par e-mail si vous avez donné une adresse dans les paramètres\xA0; sinon, l’équipe du serveur doit savoir que c’est bien vous. Commence alors un délai d’attente pendant lequel on peut encore arrêter un voleur. Sur l’appareil où vous avez fait la demande, «\xA0Se connecter\xA0» indique combien de temps il reste, puis vous laisse entrer.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-mail, si le serveur en envoie`,html:`<ul>
<li>Dans les paramètres, sous «\xA0Adresse e-mail\xA0», donnez une adresse et appuyez sur le bouton de la page qu’ouvre le lien reçu. Personne ne la voit. Elle sert à vous avertir de ce qui touche votre compte\xA0: un nouvel appareil, un nouveau mot de passe, une récupération qui commence.</li>
<li>Le reste, c’est vous qui le choisissez\xA0: les décisions de la modération, un résumé de ce qu’écrivent les personnes que vous suivez. Chacun de ces e-mails contient un lien pour ne plus en recevoir.</li>
<li>Une autre adresse, ou plus d’adresse du tout, ne prend effet qu’au bout de sept jours, sauf si vous utilisez le lien envoyé à l’adresse actuelle. Si ce n’était pas vous, ce lien arrête le changement.</li>
<li>Vous avez reçu un e-mail au sujet d’un compte qui n’est pas le vôtre\xA0: «\xA0Ce n’était pas moi\xA0: ne plus en envoyer\xA0» y met fin. Pas besoin de compte pour cela.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Emporter vos données, déménager ou partir`,html:`<ul>
<li><strong>Télécharger mes données</strong>, dans les paramètres, donne un fichier zip qui contient tout\xA0: ouvrez-y <code>index.html</code>.</li>
<li><strong>Passer à un portefeuille</strong> remet le compte à un portefeuille à vous, utilisable par tout programme de ce protocole.</li>
<li><strong>Supprimer mon compte</strong> supprime définitivement tout ce que vous avez écrit ici. Les autres serveurs qui en ont des copies en sont informés.</li>
</ul>
`}];export{e as SECTIONS};