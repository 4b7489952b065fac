var e=[{id:`join`,heading:`Iscriversi`,html:`<p>Apri il link che hai ricevuto, per esempio <code>https://social.example.org/join?invite=…</code>. Scegli un nome e una passkey o una password: il tuo browser crea la chiave a cui appartiene il tuo account, la protegge con la passkey o la password e la conserva. Stampa il foglio di recupero: con le sue parole puoi accedere ovunque, e nessun altro può ridartele. Se hai un wallet, con «Usa invece un wallet» l’account può appartenere a lui.</p>
`},{id:`write`,heading:`Scrivere`,html:`<ul>
<li><strong>Scrivi</strong> apre lo spazio in cui scrivere un post. Un testo può avere 320 byte; si possono aggiungere immagini e video se il server li accetta. <code>@name</code> menziona una persona, e un link mostra dove porta.</li>
<li><strong>Sondaggio</strong>, mentre scrivi, fa una domanda con da due a sei risposte. Tutti vedono il risultato, nessuno vede chi ha scelto cosa, e puoi cambiare il tuo voto fino alla fine.</li>
<li><strong>Rispondi, Cita, Ripubblica e Mi piace</strong> si trovano sotto ogni post. Per eliminare un tuo post, apri il suo menu.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Trovare persone e canali`,html:`<ul>
<li><strong>Esplora</strong> mostra tag e post di cui si parla molto, immagini nuove, persone e canali nuovi.</li>
<li><strong>Cerca</strong> trova post, persone e canali. Con «Filtri» restringi per persona, canale, giorni e immagini; puoi anche scrivere <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Segui</strong> persone e canali: la Home mostra poi quello che scrivono. Le notifiche ti dicono chi ti ha risposto, a chi piace qualcosa di tuo e chi ha iniziato a seguirti.</li>
<li><strong>Tag e liste</strong>: segui un <code>#tag</code> dalla sua ricerca, e metti persone in una tua lista dal loro profilo. Entrambi sono schede della Home che vedi solo tu.</li>
<li>I <strong>canali</strong> sono luoghi dedicati a un argomento. Quello che ci scrivi sta nel canale e anche sul tuo profilo; alcuni canali mostrano solo ciò che scrivono i loro membri. Segui un canale per leggerlo nella Home; la sua moderazione può invitarti come membro. Un canale può avere delle regole, che leggi prima del tuo primo post, e l’elenco dei canali dice quanti post sono nuovi.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Post in altre lingue`,html:`<ul>
<li><strong>Traduci</strong> sta sotto un post in una lingua che non leggi. Traduce il server, se chi lo gestisce ha configurato un traduttore, che riceve solo il testo; altrimenti il tuo browser, se ne è capace; altrimenti scegli tu un’app o una pagina, che riceve allora il testo.</li>
<li><strong>Lingue che leggo</strong>, nelle impostazioni: negli elenchi per tutti, i post in altre lingue di persone che non segui sono ripiegati in una riga, e «Mostra» li apre. Chi segui non viene mai ripiegato. Nessuno vede la tua scelta.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Silenziare, bloccare e segnalare`,html:`<p>Tutto questo si trova nel menu di ogni post e di ogni persona.</p>
<ul>
<li><strong>Silenzia</strong> una persona, un canale o una parola: non ne vedi più niente. Nessuno lo viene a sapere.</li>
<li><strong>Blocca</strong> una persona: qui non può più risponderti, menzionarti o citarti. Gli altri possono vedere chi blocchi.</li>
<li><strong>Segnala</strong> ciò che viola le regole. La moderazione lo legge e decide; ti viene detto com’è finita. La persona non viene a sapere chi l’ha segnalata.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Quando la moderazione decide su di te`,html:`<p>Le notifiche ti dicono che cosa è stato deciso e perché, per esempio che dei post sono stati nascosti. Contro ogni decisione puoi fare ricorso una volta: apri «Segnalazioni» nelle impostazioni e scrivi che cosa è sfuggito. Finché un account è sospeso non può scrivere, ma può sempre fare ricorso e portare via i suoi dati.</p>
`},{id:`what-is-public`,heading:`Che cosa è pubblico`,html:`<p>Tutto ciò che scrivi è pubblico e firmato da te: i tuoi post, i tuoi Mi piace, chi segui, il tuo profilo e chi blocchi. Il server non può cambiarlo. Ciò che è stato copiato altrove resta lì anche se lo elimini. Ciò che silenzi, metti nei segnalibri e segnali non è pubblico.</p>
`},{id:`passkey-password-and-12-words`,heading:`Passkey, password e 12 parole`,html:`<ul>
<li>Le <strong>12 parole</strong> sono il tuo account. Chi le ha lo possiede, in qualsiasi browser e in qualsiasi wallet. Conservale su carta; non scriverle mai altrove, solo qui.</li>
<li>Una <strong>passkey</strong> apre il tuo account con il blocco del tuo telefono o computer: un dito, il volto, un PIN. Vale per l’indirizzo di questo server.</li>
<li>Una <strong>password</strong> fa lo stesso ovunque te la ricordi. Il server non la conosce mai, quindi nessuno può ritrovarla per te.</li>
</ul>
<p>Puoi averne più di una: aggiungile e rimuovile nelle impostazioni, in «Accesso e dispositivi».</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Un dispositivo perso, una password persa`,html:`<ul>
<li>Accedi da un altro dispositivo con una passkey, la password o le 12 parole, e rimuovi nelle impostazioni il dispositivo perso: non potrà più scrivere per te.</li>
<li>Senza passkey e password, usa le 12 parole: «Iscriviti o accedi», poi «Accedi», e imposta una nuova password.</li>
<li>Senza niente di tutto questo: se il server ha un servizio di recupero e tu l’avevi permesso, scegli «Hai perso tutto questo?» in «Accedi». Ti arriva un link via e-mail, se hai dato un indirizzo nelle impostazioni; altrimenti chi gestisce il server deve sapere che sei tu. Poi c’è un tempo di attesa in cui si può ancora fermare un ladro. Sul dispositivo da cui hai fatto la richiesta, «Accedi» dice quanto manca, e poi ti fa entrare.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-mail, se il server ne invia`,html:`<ul>
<li>Nelle impostazioni, in «Indirizzo e-mail», inserisci un indirizzo e premi il pulsante nella pagina aperta dal link che ricevi. Nessuno lo vede. Lì ti arriva un avviso quando succede qualcosa al tuo account: un nuovo dispositivo, una nuova password, un recupero iniziato.</li>
<li>Scegli tu che cos’altro arriva: decisioni della moderazione, un riassunto di ciò che scrivono le persone che segui. Ognuna di queste e-mail contiene un link per non riceverne più.</li>
<li>Cambiare indirizzo, o toglierlo, richiede sette giorni, a meno che tu non usi il link inviato a quello attuale. Se non eri tu, quel link ferma il cambio.</li>
<li>Hai ricevuto un’e-mail su un account che non è tuo: con «Non ero io: non inviare più» non ne arrivano altre. Non ti serve un account per farlo.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Portare via i tuoi dati, trasferirsi o andarsene`,html:`<ul>
<li><strong>Scarica i miei dati</strong>, nelle impostazioni, ti dà un file zip con tutto: apri <code>index.html</code> al suo interno.</li>
<li><strong>Passa a un wallet</strong> consegna l’account a un tuo wallet, che qualsiasi programma di questo protocollo può usare.</li>
<li><strong>Elimina il mio account</strong> elimina per sempre tutto ciò che hai scritto qui. Gli altri server che ne hanno copie vengono avvisati.</li>
</ul>
`}];export{e as SECTIONS};