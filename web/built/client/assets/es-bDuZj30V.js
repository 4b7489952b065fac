var e=[{id:`join`,heading:`Unirse`,html:`<p>Abre el enlace que te han dado, por ejemplo <code>https://social.example.org/join?invite=…</code>. Elige un nombre y una llave de acceso o una contraseña: tu navegador crea la clave a la que pertenece tu cuenta, la protege con la llave o la contraseña y la guarda. Imprime el kit de recuperación: con sus palabras puedes iniciar sesión en cualquier sitio, y nadie más puede devolvértelas si las pierdes. Si tienes una billetera, con «Usar una billetera» puedes hacer que la cuenta le pertenezca.</p>
`},{id:`write`,heading:`Escribir`,html:`<ul>
<li><strong>Escribir</strong> abre el espacio para redactar. Un texto puede tener hasta 320 bytes; se pueden añadir imágenes y vídeos si el servidor los acepta. <code>@name</code> menciona a una persona, y un enlace muestra adónde lleva.</li>
<li><strong>Encuesta</strong>, al redactar, sirve para hacer una pregunta con dos a seis respuestas. Todo el mundo ve el resultado, nadie ve quién eligió qué, y puedes cambiar tu voto hasta el final.</li>
<li><strong>Responder, Citar, Republicar y Me gusta</strong> están debajo de cada publicación. Para eliminar una publicación tuya, abre su menú.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Encontrar personas y canales`,html:`<ul>
<li><strong>Explorar</strong> muestra etiquetas y publicaciones de las que habla mucha gente, imágenes nuevas, y personas y canales nuevos.</li>
<li><strong>Buscar</strong> encuentra publicaciones, personas y canales. Con «Filtros» puedes acotar por persona, canal, días e imágenes; también puedes escribir <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Seguir</strong> a personas y canales hace que Inicio muestre lo que escriben. Las notificaciones te dicen quién te ha respondido, a quién le gusta algo tuyo y quién te sigue.</li>
<li><strong>Etiquetas y listas</strong>: sigue una <code>#tag</code> desde su búsqueda y pon a personas en una lista tuya desde su perfil. Ambas son pestañas de Inicio que solo ves tú.</li>
<li>Los <strong>canales</strong> son lugares para un tema. Lo que escribes allí está en el canal y también en tu perfil; algunos canales muestran solo lo que escriben sus miembros. Sigue un canal para leerlo en Inicio; su moderación puede invitarte a ser miembro. Un canal puede tener normas, que lees antes de tu primera publicación, y la lista de canales dice cuántas publicaciones son nuevas.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Publicaciones en otros idiomas`,html:`<ul>
<li><strong>Traducir</strong> está debajo de una publicación en un idioma que no lees. Traduce el servidor si su administración ha configurado un traductor, que solo recibe el texto; si no, tu navegador, si sabe hacerlo; si no, eliges tú una aplicación o una página, que recibe entonces el texto.</li>
<li><strong>Idiomas que leo</strong>, en los ajustes: en las listas para todos, las publicaciones en otros idiomas de personas que no sigues se pliegan en una línea, y «Mostrar» las abre. Lo de las personas que sigues no se pliega nunca. Nadie ve lo que eliges.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Silenciar, bloquear y denunciar`,html:`<p>Todo esto está en el menú de cada publicación y de cada persona.</p>
<ul>
<li><strong>Silenciar</strong> a una persona, un canal o una palabra: no vuelves a ver nada de eso. Nadie se entera.</li>
<li><strong>Bloquear</strong> a una persona: aquí ya no puede responderte, mencionarte ni citarte. Los demás pueden ver a quién bloqueas.</li>
<li><strong>Denunciar</strong> lo que incumple las normas. La moderación lo lee y decide; después se te dice en qué ha quedado. La persona no se entera de quién la denunció.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Cuando la moderación decide sobre ti`,html:`<p>Las notificaciones te dicen qué se decidió y por qué, por ejemplo que se ocultaron publicaciones. Puedes apelar una vez cada decisión: abre «Denuncias» en los ajustes y escribe qué se pasó por alto. Mientras una cuenta está suspendida no puede escribir, pero sí apelar y llevarse sus datos.</p>
`},{id:`what-is-public`,heading:`Qué es público`,html:`<p>Todo lo que escribes es público y lleva tu firma: tus publicaciones, tus me gusta, a quién sigues, tu perfil y a quién bloqueas. El servidor no puede cambiarlo. Lo que se copió en otros sitios se queda allí cuando lo eliminas. Lo que silencias, guardas en marcadores y denuncias no es público.</p>
`},{id:`passkey-password-and-12-words`,heading:`Llave de acceso, contraseña y 12 palabras`,html:`<ul>
<li>Las <strong>12 palabras</strong> son tu cuenta. La cuenta es de quien las tenga, en cualquier navegador y en cualquier billetera. Guárdalas en papel; no las escribas nunca en ningún sitio que no sea este.</li>
<li>Una <strong>llave de acceso</strong> abre tu cuenta con el bloqueo de tu teléfono o equipo: un dedo, la cara, un PIN. Va unida a la dirección de este servidor.</li>
<li>Una <strong>contraseña</strong> hace lo mismo en cualquier sitio donde la recuerdes. El servidor no la llega a conocer, así que nadie puede decirte cuál es.</li>
</ul>
<p>Puedes tener varias: añádelas y quítalas en los ajustes, en «Formas de entrar y dispositivos».</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Si pierdes un dispositivo o una contraseña`,html:`<ul>
<li>Inicia sesión en otro dispositivo con una llave de acceso, la contraseña o las 12 palabras, y quita en los ajustes el dispositivo perdido: ya no podrá escribir en tu nombre.</li>
<li>Sin llave de acceso ni contraseña, usa las 12 palabras: «Unirse o iniciar sesión», luego «Iniciar sesión», y crea una contraseña nueva.</li>
<li>Sin nada de eso: si el servidor tiene servicio de recuperación y lo permitiste, elige «¿Has perdido todo esto?» en «Iniciar sesión». Se envía un enlace a tu correo si lo pusiste en los ajustes; si no, la administración tiene que saber que eres tú. Después hay un plazo de espera en el que aún se puede detener a un ladrón. En el dispositivo en el que lo pediste, «Iniciar sesión» dice cuánto falta, y entonces te deja entrar.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`Correo electrónico, si el servidor lo envía`,html:`<ul>
<li>En los ajustes, en «Correo electrónico», pon una dirección y pulsa el botón de la página que abre el enlace que recibes. Nadie la ve. Ahí se te avisa de lo que afecta a tu cuenta: un dispositivo nuevo, una contraseña nueva, una recuperación que ha empezado.</li>
<li>Tú eliges qué más llega: decisiones de la moderación, un resumen de lo que escriben las personas que sigues. Cada uno de estos correos lleva un enlace para dejar de recibirlos.</li>
<li>Cambiar la dirección, o quitarla, tarda siete días, salvo que uses el enlace que se envía a la actual. Si no has sido tú, ese enlace detiene el cambio.</li>
<li>Si recibes un correo sobre una cuenta que no es tuya, «No he sido yo: no enviar más correos así» acaba con eso. No te hace falta una cuenta.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Llevarte tus datos, mudarte o irte`,html:`<ul>
<li><strong>Descargar mis datos</strong>, en los ajustes, te da un archivo zip con todo: abre <code>index.html</code> dentro de él.</li>
<li><strong>Pasar a una billetera</strong> entrega la cuenta a una billetera tuya, que puede usar cualquier programa de este protocolo.</li>
<li><strong>Eliminar mi cuenta</strong> elimina para siempre todo lo que escribiste aquí. Se avisa a los otros servidores que tienen copias.</li>
</ul>
`}];export{e as SECTIONS};