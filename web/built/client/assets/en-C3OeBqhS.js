var e=[{id:`join`,heading:`Join`,html:`<p>Open the link that you were given, such as <code>https://social.example.org/join?invite=…</code>. Choose a name and a passkey or a password: your browser makes the key that owns your account, seals it with them, and keeps it. Print the recovery kit: with its words you can sign in anywhere, and nobody else can restore them. If you have a wallet, &quot;Use a wallet instead&quot; lets it own the account.</p>
`},{id:`write`,heading:`Write`,html:`<ul>
<li><strong>Write</strong> opens the composer. A text has 320 bytes; pictures and videos can be added where the server takes uploads. <code>@name</code> mentions a person, and a link shows what it leads to.</li>
<li><strong>Poll</strong> in the composer asks a question with two to six answers. Everybody sees the result, nobody sees who chose what, and you may change your vote until the end.</li>
<li><strong>Reply, quote, {repost}, like</strong> are below each {post}. Delete your own {post} in its menu.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Find people and channels`,html:`<ul>
<li><strong>Explore</strong> shows tags and {posts} that many write about, new pictures, new people and channels.</li>
<li><strong>Search</strong> finds {posts}, people and channels. &quot;Filters&quot; narrows it by person, channel, days and pictures; you may also type <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Follow</strong> people and channels: Home then shows what they write. Notifications tell who answered, liked or followed you.</li>
<li><strong>Tags and lists:</strong> follow a <code>#tag</code> from its search, and put people on a list of yours from their profile. Both are tabs of Home that only you see.</li>
<li><strong>Channels</strong> are places for a subject. What you write there stands in the channel as well as on your profile; some channels show only what their members write. Follow one to read it in Home; moderators may invite you to join as a member. A channel may have rules, which you read before your first {post}, and the list of channels says how many {posts} are new.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`{Posts} in other languages`,html:`<ul>
<li><strong>Translate</strong> is below a {post} in a language that you do not read. The server does it if its operator has set up a translator, which gets only the text; else your browser, if it can; else you choose an app or a page, which then gets the text.</li>
<li><strong>Languages I read</strong>, in Settings: in lists of everybody, {posts} of strangers in other languages are folded into one line, and &quot;Show&quot; opens them. Whom you follow is never folded. Nobody sees your choice.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Mute, block and report`,html:`<p>These are in the menu of each {post} and each person.</p>
<ul>
<li><strong>Mute</strong> a person, a channel or a word: you see nothing of it any more. Nobody is told.</li>
<li><strong>Block</strong> a person: they cannot answer, mention or quote you here. Others can see whom you block.</li>
<li><strong>Report</strong> what breaks the rules. Moderators read it and decide; you are told what came of it. The person does not learn who reported.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`When moderators decide about you`,html:`<p>Notifications tell you what was decided and why, such as {posts} that were hidden. You may appeal once for each decision: open &quot;Reports&quot; in Settings and write what was overlooked. While an account is suspended it cannot write, and it can still appeal and take its data with it.</p>
`},{id:`what-is-public`,heading:`What is public`,html:`<p>Everything that you write is public and signed by you: {posts}, likes, follows, your profile, and whom you block. The server cannot change it. What was copied elsewhere stays there when you delete it. What you mute, bookmark and report is not public.</p>
`},{id:`passkey-password-and-12-words`,heading:`Passkey, password and 12 words`,html:`<ul>
<li>The <strong>12 words</strong> are your account. Who has them owns it, in any browser and in any wallet. Keep them on paper; never type them anywhere but here.</li>
<li>A <strong>passkey</strong> opens your account with the lock of your phone or computer: a finger, a face, a PIN. It belongs to the address of this server.</li>
<li>A <strong>password</strong> does the same everywhere that you remember it. The server never learns it, so nobody can look it up for you.</li>
</ul>
<p>You can have several: add and remove them in Settings, under &quot;Sign-in ways and devices&quot;.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`A lost device, a lost password`,html:`<ul>
<li>Sign in on another device with a passkey, the password or the 12 words, and remove the lost device in Settings: it cannot write for you any more.</li>
<li>Without a passkey and a password, use the 12 words: &quot;Join or sign in&quot;, then &quot;Sign in&quot;, and set a new password.</li>
<li>Without all of them: where the server has a recovery service and you allowed it, choose &quot;Lost all of these?&quot; at &quot;Sign in&quot;. A link is sent to your e-mail address if you gave one in Settings; else the operator has to know that it is you. Then there is a waiting time in which a thief can be stopped. On the device on which you have asked, &quot;Sign in&quot; says how long it takes, and lets you in then.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-mail, if the server sends any`,html:`<ul>
<li>In Settings, under &quot;E-mail address&quot;, give an address and press the button on the page that its link opens. Nobody sees it. You are told there what touches your account: a new device, a new password, a recovery that has begun.</li>
<li>You choose what else comes: decisions of moderators, a digest of what people you follow wrote. Each of these mails has a link that ends them.</li>
<li>Another address, or none, waits for seven days unless you use the link that is sent to the present one. If it was not you, that link stops it.</li>
<li>You got a mail about an account that is not yours: &quot;This was not me: send no more of these&quot; ends that. You need no account for it.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Take your data with you, move or leave`,html:`<ul>
<li><strong>Download my data</strong> in Settings gives one zip file with everything: open <code>index.html</code> in it.</li>
<li><strong>Move to a wallet</strong> gives the account to a wallet of yours, which any program for this protocol can use.</li>
<li><strong>Delete my account</strong> deletes everything that you wrote here, for good. Other servers that have copies are told.</li>
</ul>
`}];export{e as SECTIONS};