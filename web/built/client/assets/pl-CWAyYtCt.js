var e=[{id:`join`,heading:`Dołącz`,html:`<p>Otwórz link, który masz od kogoś z serwera, na przykład <code>https://social.example.org/join?invite=…</code>. Wybierz nazwę oraz klucz dostępu albo hasło: przeglądarka utworzy klucz, do którego należy twoje konto, zabezpieczy go nimi i zachowa. Wydrukuj zestaw odzyskiwania: dzięki zapisanym w nim słowom zalogujesz się wszędzie, a nikt inny nie może ich odtworzyć. Jeśli masz portfel, wybierz „Użyj portfela”, a konto będzie należeć do niego.</p>
`},{id:`write`,heading:`Pisz`,html:`<ul>
<li><strong>Napisz</strong> otwiera okno nowego wpisu. Tekst może mieć 320 bajtów; można dodać zdjęcia i filmy, jeśli serwer je przyjmuje. <code>@name</code> to wzmianka o osobie, a link pokazuje, dokąd prowadzi.</li>
<li><strong>Ankieta</strong> w oknie wpisu to pytanie z dwiema do sześciu odpowiedzi. Wynik widzą wszyscy, ale nikt nie widzi, kto co wybrał. Głos możesz zmieniać aż do końca.</li>
<li><strong>Odpowiedz, Cytuj, Podaj dalej, Polub</strong>: te przyciski są pod każdym wpisem. Własny wpis usuniesz w jego menu.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Znajdź osoby i kanały`,html:`<ul>
<li><strong>Odkrywaj</strong> pokazuje tagi i wpisy, o których wiele osób pisze, nowe zdjęcia, nowe osoby i kanały.</li>
<li><strong>Szukaj</strong> znajduje wpisy, osoby i kanały. „Filtry” zawężają wyniki według osoby, kanału, dni i zdjęć; możesz też wpisać <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Obserwuj</strong> osoby i kanały: ich wpisy zobaczysz na stronie głównej. Powiadomienia mówią, kto ci odpowiada, kto lubi twoje wpisy i kto cię obserwuje.</li>
<li><strong>Tagi i listy</strong>: tag <code>#tag</code> zaczniesz obserwować na stronie jego wyszukiwania, a osobę dodasz do swojej listy na jej profilu. Jedne i drugie to karty na stronie głównej, które widzisz tylko ty.</li>
<li><strong>Kanały</strong> to miejsca na wybrany temat. To, co tam piszesz, widać i w kanale, i na twoim profilu; niektóre kanały pokazują tylko wpisy swoich członków. Obserwuj kanał, aby czytać go na stronie głównej; moderacja może zaprosić cię do grona członków. Kanał może mieć zasady: przeczytasz je przed pierwszym wpisem. Lista kanałów pokazuje, ile jest nowych wpisów.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Wpisy w innych językach`,html:`<ul>
<li><strong>Przetłumacz</strong> jest pod wpisem w języku, w którym nie czytasz. Tłumaczy serwer, jeśli operator ustawił tłumacza (dostaje on tylko tekst); jeśli nie, to twoja przeglądarka, o ile potrafi; a jeśli i ona nie, wybierasz aplikację lub stronę, która wtedy dostanie tekst.</li>
<li><strong>Języki, w których czytam</strong> (w Ustawieniach): na listach z wpisami wszystkich osób wpisy nieznajomych w innych językach zwijają się do jednego wiersza, a „Pokaż” je otwiera. Wpisy osób, które obserwujesz, nigdy się nie zwijają. Nikt nie widzi twojego wyboru.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Wycisz, zablokuj i zgłoś`,html:`<p>Znajdziesz to w menu każdego wpisu i każdej osoby.</p>
<ul>
<li><strong>Wycisz</strong> osobę, kanał lub słowo: nie zobaczysz już nic z tego. Nikt się o tym nie dowie.</li>
<li><strong>Zablokuj</strong> osobę: nie będzie mogła ci tu odpowiadać, wspominać o tobie ani cię cytować. Inni mogą zobaczyć, kogo blokujesz.</li>
<li><strong>Zgłoś</strong> to, co łamie zasady. Moderacja czyta zgłoszenie i decyduje; dowiesz się, co z tego wynikło. Zgłoszona osoba nie dowie się, kto ją zgłosił.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Gdy moderacja podejmuje decyzję w twojej sprawie`,html:`<p>Powiadomienia mówią, co postanowiono i dlaczego, na przykład że ukryto wpisy. Od każdej decyzji możesz odwołać się raz: otwórz „Zgłoszenia” w Ustawieniach i napisz, co pominięto. Zawieszone konto nie może pisać, ale nadal może się odwołać i zabrać swoje dane.</p>
`},{id:`what-is-public`,heading:`Co jest publiczne`,html:`<p>Wszystko, co piszesz, jest publiczne i podpisane przez ciebie: wpisy, polubienia, obserwowani, profil i to, kogo blokujesz. Serwer nie może tego zmienić. To, co skopiowano gdzie indziej, zostaje tam, gdy to usuniesz. To, co wyciszasz, dodajesz do zakładek i zgłaszasz, nie jest publiczne.</p>
`},{id:`passkey-password-and-12-words`,heading:`Klucz dostępu, hasło i 12 słów`,html:`<ul>
<li><strong>12 słów</strong> to twoje konto. Kto je ma, do tego należy konto: w każdej przeglądarce i w każdym portfelu. Trzymaj je na papierze i nie wpisuj nigdzie poza tą stroną.</li>
<li><strong>Klucz dostępu</strong> otwiera konto blokadą telefonu lub komputera: palcem, twarzą, PIN-em. Jest związany z adresem tego serwera.</li>
<li><strong>Hasło</strong> robi to samo wszędzie tam, gdzie je pamiętasz. Serwer nigdy go nie poznaje, więc nikt nie może go dla ciebie sprawdzić.</li>
</ul>
<p>Możesz mieć ich kilka: dodasz je i usuniesz w Ustawieniach, w „Logowanie i urządzenia”.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Zgubione urządzenie, zapomniane hasło`,html:`<ul>
<li>Zaloguj się na innym urządzeniu kluczem dostępu, hasłem lub 12 słowami i usuń zgubione urządzenie w Ustawieniach: nie będzie już mogło pisać w twoim imieniu.</li>
<li>Bez klucza dostępu i bez hasła użyj 12 słów: „Dołącz lub zaloguj się”, potem „Zaloguj się”, i ustaw nowe hasło.</li>
<li>Bez tego wszystkiego: jeśli serwer ma usługę odzyskiwania, a w twoim koncie jest na nią zgoda, wybierz „Nie masz nic z tego?” w „Zaloguj się”. Link przyjdzie na twój adres e-mail, jeśli jest podany w Ustawieniach; jeśli nie, operator musi mieć pewność, że to ty. Potem jest czas oczekiwania, w którym można powstrzymać złodzieja. Na urządzeniu, z którego wysłano prośbę, „Zaloguj się” pokazuje, ile to potrwa, a potem wpuści cię na konto.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-mail, jeśli serwer go wysyła`,html:`<ul>
<li>W Ustawieniach, w „Adres e-mail”, podaj adres i naciśnij przycisk na stronie, którą otworzy link z wiadomości. Nikt tego adresu nie widzi. Napiszemy tam o tym, co dotyczy twojego konta: o nowym urządzeniu, nowym haśle, rozpoczętym odzyskiwaniu.</li>
<li>Wybierasz, co jeszcze ma przychodzić: decyzje moderacji, podsumowanie tego, co piszą obserwowane osoby. W każdej takiej wiadomości jest link, który je wyłącza.</li>
<li>Zmiana lub usunięcie adresu następuje po siedmiu dniach, chyba że użyjesz linku wysłanego na obecny adres: wtedy od razu. Jeśli to nie ty, ten link zatrzymuje zmianę.</li>
<li>Przyszedł e-mail o koncie, które nie jest twoje? „To nie ja: nie wysyłajcie więcej takich e-maili” to kończy. Nie potrzebujesz do tego konta.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Zabierz swoje dane, przenieś się lub odejdź`,html:`<ul>
<li><strong>Pobierz moje dane</strong> w Ustawieniach daje jeden plik zip ze wszystkim: otwórz w nim <code>index.html</code>.</li>
<li><strong>Przenieś do portfela</strong> oddaje konto twojemu portfelowi, którego może używać każdy program obsługujący ten protokół.</li>
<li><strong>Usuń moje konto</strong> usuwa na zawsze wszystko, co tu masz. Inne serwery, które mają kopie, dostają o tym wiadomość.</li>
</ul>
`}];export{e as SECTIONS};