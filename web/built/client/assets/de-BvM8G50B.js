var e=[{id:`join`,heading:`Beitreten`,html:`<p>Öffne den Link, den du bekommen hast, zum Beispiel <code>https://social.example.org/join?invite=…</code>. Wähle einen Namen und einen Passkey oder ein Passwort: Dein Browser erzeugt den Schlüssel, dem dein Konto gehört, verschließt ihn damit und bewahrt ihn auf. Druck das Wiederherstellungsblatt aus: Mit den Wörtern darauf kannst du dich überall anmelden, und niemand sonst kann sie dir zurückgeben. Hast du eine Wallet, kann das Konto ihr gehören: Das geht mit „Stattdessen eine Wallet nehmen“.</p>
`},{id:`write`,heading:`Schreiben`,html:`<ul>
<li><strong>Schreiben</strong> öffnet das Feld für einen neuen Beitrag. Ein Text darf 320 Bytes lang sein; Bilder und Videos kannst du hinzufügen, wo der Server sie annimmt. <code>@name</code> erwähnt eine Person, und ein Link zeigt, wohin er führt.</li>
<li><strong>Umfrage</strong> beim Schreiben stellt eine Frage mit zwei bis sechs Antworten. Das Ergebnis sehen alle, aber niemand sieht, wer was gewählt hat. Bis zum Ende kannst du deine Stimme ändern.</li>
<li><strong>Antworten, Zitieren, Teilen und Gefällt mir</strong> findest du unter jedem Beitrag. Deinen eigenen Beitrag löschst du in seinem Menü.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Leute und Kanäle finden`,html:`<ul>
<li><strong>Entdecken</strong> zeigt Tags und Beiträge, über die viele schreiben, neue Bilder, neue Leute und Kanäle.</li>
<li><strong>Suchen</strong> findet Beiträge, Leute und Kanäle. Mit „Filter“ grenzt du nach Person, Kanal, Tagen und Bildern ein; du kannst auch <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code> eintippen.</li>
<li><strong>Folgen</strong> kannst du Leuten und Kanälen: Die Startseite zeigt dann, was sie schreiben. In den Benachrichtigungen steht, wer dir geantwortet hat, wem etwas von dir gefällt und wer dir folgt.</li>
<li><strong>Tags und Listen</strong>: Folge einem <code>#tag</code> von seiner Suche aus, und setz Leute von ihrem Profil aus auf eine deiner Listen. Beides sind Tabs der Startseite, die nur du siehst.</li>
<li><strong>Kanäle</strong> sind Orte für ein Thema. Was du dort schreibst, steht im Kanal und auch auf deinem Profil; manche Kanäle zeigen nur, was ihre Mitglieder schreiben. Folge einem Kanal, um ihn auf der Startseite zu lesen; seine Moderation kann dich als Mitglied einladen. Ein Kanal kann Regeln haben, die du vor deinem ersten Beitrag liest, und die Liste der Kanäle sagt, wie viele Beiträge neu sind.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Beiträge in anderen Sprachen`,html:`<ul>
<li><strong>Übersetzen</strong> steht unter einem Beitrag in einer Sprache, die du nicht liest. Der Server übersetzt, wenn der Betreiber einen Übersetzer eingerichtet hat, der nur den Text bekommt; sonst dein Browser, wenn er das kann; sonst wählst du eine App oder eine Seite, die dann den Text bekommt.</li>
<li><strong>Sprachen, die ich lese</strong>, in den Einstellungen: In Listen für alle sind Beiträge von Fremden in anderen Sprachen zu einer Zeile eingeklappt, und „Anzeigen“ klappt sie auf. Leute, denen du folgst, werden nie eingeklappt. Niemand sieht deine Wahl.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Stummschalten, blockieren und melden`,html:`<p>Das alles steht im Menü von jedem Beitrag und jeder Person.</p>
<ul>
<li><strong>Stummschalten</strong> kannst du eine Person, einen Kanal oder ein Wort: Du siehst nichts mehr davon. Niemand erfährt es.</li>
<li><strong>Blockieren</strong> kannst du eine Person: Sie kann dir hier nicht mehr antworten und dich nicht erwähnen oder zitieren. Andere können sehen, wen du blockierst.</li>
<li><strong>Melden</strong> kannst du, was gegen die Regeln verstößt. Die Moderation liest es und entscheidet; du erfährst, was daraus geworden ist. Die Person erfährt nicht, von wem die Meldung kam.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Wenn die Moderation über dich entscheidet`,html:`<p>In den Benachrichtigungen steht, was entschieden wurde und warum, zum Beispiel, dass Beiträge ausgeblendet wurden. Gegen jede Entscheidung kannst du einmal Einspruch einlegen: Öffne „Meldungen“ in den Einstellungen und schreib, was übersehen wurde. Solange ein Konto gesperrt ist, kann es nicht schreiben, aber weiter Einspruch einlegen und seine Daten mitnehmen.</p>
`},{id:`what-is-public`,heading:`Was öffentlich ist`,html:`<p>Alles, was du schreibst, ist öffentlich und von dir unterschrieben: deine Beiträge und Likes, wem du folgst, dein Profil und wen du blockierst. Der Server kann nichts daran ändern. Was anderswohin kopiert wurde, bleibt dort, auch wenn du es löschst. Was du stummschaltest, als Lesezeichen merkst und meldest, ist nicht öffentlich.</p>
`},{id:`passkey-password-and-12-words`,heading:`Passkey, Passwort und 12 Wörter`,html:`<ul>
<li>Die <strong>12 Wörter</strong> sind dein Konto. Wer sie hat, dem gehört es, in jedem Browser und in jeder Wallet. Bewahr sie auf Papier auf und gib sie nirgends ein außer hier.</li>
<li>Ein <strong>Passkey</strong> öffnet dein Konto mit der Sperre deines Telefons oder Computers: Finger, Gesicht oder PIN. Er gehört zur Adresse dieses Servers.</li>
<li>Ein <strong>Passwort</strong> tut dasselbe überall, wo du es im Kopf hast. Der Server erfährt es nie, deshalb kann es niemand für dich nachsehen.</li>
</ul>
<p>Du kannst mehrere davon haben: Hinzufügen und entfernen kannst du sie in den Einstellungen, unter „Anmeldung und Geräte“.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Gerät verloren, Passwort vergessen`,html:`<ul>
<li>Melde dich auf einem anderen Gerät mit Passkey, Passwort oder den 12 Wörtern an und entferne das verlorene Gerät in den Einstellungen: Dann kann es nicht mehr für dich schreiben.</li>
<li>Ohne Passkey und Passwort nimmst du die 12 Wörter: „Beitreten oder anmelden“, dann „Anmelden“, und leg ein neues Passwort fest.</li>
<li>Wenn du nichts davon mehr hast: Wo der Server verlorene Konten wiederherstellt und du es erlaubt hast, wähle bei „Anmelden“ „Alles davon verloren?“. Steht deine E-Mail-Adresse in den Einstellungen, bekommst du einen Link geschickt; sonst muss der Betreiber wissen, dass du es bist. Dann läuft eine Wartezeit, in der man Diebe noch stoppen kann. Auf dem Gerät, auf dem du gefragt hast, sagt „Anmelden“, wie lange sie dauert, und lässt dich danach hinein.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-Mail, wenn der Server welche verschickt`,html:`<ul>
<li>Gib in den Einstellungen unter „E-Mail-Adresse“ eine Adresse an und drück auf der Seite, die der Link in der Mail öffnet, auf den Knopf. Niemand sieht sie. Dorthin bekommst du Nachricht, wenn es um dein Konto geht: ein neues Gerät, ein neues Passwort, eine begonnene Wiederherstellung.</li>
<li>Was sonst noch kommt, wählst du: Entscheidungen der Moderation, ein Überblick über das, was Leute schreiben, denen du folgst. In jeder dieser Mails ist ein Link, der sie abbestellt.</li>
<li>Eine andere Adresse oder gar keine gilt erst nach sieben Tagen, außer du benutzt den Link, der an die jetzige geschickt wird. Warst du das nicht, stoppt dieser Link die Änderung.</li>
<li>Du bekommst eine Mail zu einem Konto, das nicht deins ist? „Das war ich nicht: keine solchen Mails mehr“ macht Schluss damit. Ein Konto brauchst du dafür nicht.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Daten mitnehmen, umziehen oder gehen`,html:`<ul>
<li><strong>Meine Daten herunterladen</strong> in den Einstellungen gibt dir alles in einer Zip-Datei: Öffne darin <code>index.html</code>.</li>
<li><strong>Auf eine Wallet umziehen</strong> übergibt das Konto an eine Wallet von dir, mit der jedes Programm für dieses Protokoll umgehen kann.</li>
<li><strong>Mein Konto löschen</strong> löscht endgültig alles, was du hier geschrieben hast. Andere Server, die Kopien haben, erfahren davon.</li>
</ul>
`}];export{e as SECTIONS};