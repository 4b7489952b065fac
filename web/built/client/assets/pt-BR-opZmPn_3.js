var e=[{id:`join`,heading:`Participar`,html:`<p>Abra o link que você recebeu, por exemplo <code>https://social.example.org/join?invite=…</code>. Escolha um nome e uma chave de acesso ou uma senha: seu navegador cria a chave que é dona da sua conta, protege essa chave com a chave de acesso ou a senha e a guarda. Imprima o kit de recuperação: com as palavras dele você entra em qualquer lugar, e ninguém mais pode recuperá-las para você. Se você tem uma carteira, com “Usar uma carteira” a conta pode ser dela.</p>
`},{id:`write`,heading:`Escrever`,html:`<ul>
<li><strong>Escrever</strong> abre o espaço para redigir. Um texto pode ter 320 bytes; dá para adicionar imagens e vídeos se o servidor aceitar. <code>@name</code> menciona uma pessoa, e um link mostra aonde ele leva.</li>
<li><strong>Enquete</strong>, ao escrever, faz uma pergunta com duas a seis respostas. Todos veem o resultado, ninguém vê quem escolheu o quê, e você pode mudar seu voto até o fim.</li>
<li><strong>Responder, Citar, Repostar e Curtir</strong> ficam embaixo de cada publicação. Para excluir uma publicação sua, abra o menu dela.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Encontrar pessoas e canais`,html:`<ul>
<li><strong>Explorar</strong> mostra tags e publicações de que muita gente fala, imagens novas, e pessoas e canais novos.</li>
<li><strong>Buscar</strong> encontra publicações, pessoas e canais. Com “Filtros” você restringe por pessoa, canal, dias e imagens; também pode digitar <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Seguir</strong> pessoas e canais faz o Início mostrar o que escrevem. As notificações dizem quem respondeu a você, curtiu algo seu ou começou a seguir você.</li>
<li><strong>Tags e listas</strong>: siga uma <code>#tag</code> a partir da busca dela e ponha pessoas em uma lista sua a partir do perfil delas. As duas viram abas do Início que só você vê.</li>
<li>Os <strong>canais</strong> são lugares para um assunto. O que você escreve ali fica no canal e também no seu perfil; alguns canais mostram só o que os membros escrevem. Siga um canal para ler no Início; a moderação dele pode convidar você como membro. Um canal pode ter regras, que você lê antes da primeira publicação, e a lista de canais diz quantas publicações são novas.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Publicações em outros idiomas`,html:`<ul>
<li><strong>Traduzir</strong> fica embaixo de uma publicação em um idioma que você não lê. Quem traduz é o servidor, se a administração configurou um tradutor, que recebe só o texto; se não, seu navegador, se ele souber; se não, você escolhe um app ou uma página, que então recebe o texto.</li>
<li><strong>Idiomas que leio</strong>, nas configurações: nas listas para todos, as publicações em outros idiomas de pessoas que você não segue ficam recolhidas em uma linha, e “Mostrar” as abre. O que escrevem as pessoas que você segue nunca fica recolhido. Ninguém vê sua escolha.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Silenciar, bloquear e denunciar`,html:`<p>Tudo isso está no menu de cada publicação e de cada pessoa.</p>
<ul>
<li><strong>Silenciar</strong> uma pessoa, um canal ou uma palavra: você não vê mais nada disso. Ninguém fica sabendo.</li>
<li><strong>Bloquear</strong> uma pessoa: aqui ela não pode responder, mencionar nem citar você. Os outros podem ver quem você bloqueia.</li>
<li><strong>Denunciar</strong> o que quebra as regras. A moderação lê e decide; você fica sabendo no que deu. A pessoa não fica sabendo quem denunciou.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Quando a moderação decide sobre você`,html:`<p>As notificações dizem o que foi decidido e por quê, por exemplo que publicações foram ocultadas. Você pode recorrer uma vez de cada decisão: abra “Denúncias” nas configurações e escreva o que passou despercebido. Enquanto uma conta está suspensa, ela não pode escrever, mas ainda pode recorrer e levar os dados.</p>
`},{id:`what-is-public`,heading:`O que é público`,html:`<p>Tudo o que você escreve é público e assinado por você: suas publicações, suas curtidas, quem você segue, seu perfil e quem você bloqueia. O servidor não pode mudar nada disso. O que foi copiado para outro lugar continua lá quando você exclui. O que você silencia, salva e denuncia não é público.</p>
`},{id:`passkey-password-and-12-words`,heading:`Chave de acesso, senha e 12 palavras`,html:`<ul>
<li>As <strong>12 palavras</strong> são a sua conta. A conta é de quem tem as palavras, em qualquer navegador e em qualquer carteira. Guarde-as no papel; nunca as digite em outro lugar que não seja aqui.</li>
<li>Uma <strong>chave de acesso</strong> abre sua conta com o bloqueio do seu celular ou computador: um dedo, um rosto, um PIN. Ela vale para o endereço deste servidor.</li>
<li>Uma <strong>senha</strong> faz o mesmo em qualquer lugar em que você se lembre dela. O servidor nunca fica sabendo qual é, então ninguém pode consultá-la para você.</li>
</ul>
<p>Você pode ter várias: adicione e remova nas configurações, em “Formas de entrar e dispositivos”.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Perdeu um dispositivo ou uma senha`,html:`<ul>
<li>Entre em outro dispositivo com uma chave de acesso, a senha ou as 12 palavras, e remova o dispositivo perdido nas configurações: ele não pode mais escrever por você.</li>
<li>Sem chave de acesso nem senha, use as 12 palavras: “Participar ou entrar”, depois “Entrar”, e crie uma senha nova.</li>
<li>Sem nada disso: se o servidor tem um serviço de recuperação e você permitiu, escolha “Perdeu tudo isso?” em “Entrar”. Um link é enviado para o seu e-mail, se você informou um nas configurações; se não, a administração precisa saber que é você. Depois há um tempo de espera em que ainda dá para impedir um ladrão. No dispositivo em que você pediu, “Entrar” diz quanto tempo falta, e então deixa você entrar.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-mail, se o servidor enviar`,html:`<ul>
<li>Nas configurações, em “E-mail”, informe um endereço e toque no botão da página que o link abre. Ninguém vê o endereço. É nele que você recebe avisos sobre o que afeta sua conta: um dispositivo novo, uma senha nova, uma recuperação que começou.</li>
<li>Você escolhe o que mais chega: decisões da moderação, um resumo do que escreveram as pessoas que você segue. Cada um desses e-mails traz um link para parar de recebê-los.</li>
<li>Trocar o endereço, ou ficar sem nenhum, leva sete dias, a não ser que você use o link enviado ao atual. Se não foi você, esse link interrompe a troca.</li>
<li>Recebeu um e-mail sobre uma conta que não é sua? “Não fui eu: não enviar mais” resolve isso. Você não precisa ter conta para isso.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Levar seus dados, mudar de lugar ou sair`,html:`<ul>
<li><strong>Baixar meus dados</strong>, nas configurações, dá um arquivo zip com tudo: abra <code>index.html</code> dentro dele.</li>
<li><strong>Passar para uma carteira</strong> entrega a conta a uma carteira sua, que qualquer programa deste protocolo pode usar.</li>
<li><strong>Excluir minha conta</strong> exclui para sempre tudo o que você escreveu aqui. Outros servidores que têm cópias são avisados.</li>
</ul>
`}];export{e as SECTIONS};