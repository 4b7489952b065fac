var e=[{id:`join`,heading:`Katılın`,html:`<p>Size verilen bağlantıyı açın, örneğin <code>https://social.example.org/join?invite=…</code>. Bir ad ile bir geçiş anahtarı veya parola seçin: tarayıcınız hesabınızın sahibi olan anahtarı oluşturur, bunlarla mühürler ve saklar. Kurtarma kitini yazdırın: içindeki kelimelerle her yerden oturum açabilirsiniz ve başka hiç kimse bunları geri getiremez. Cüzdanınız varsa “Cüzdan kullan” ile hesabın sahibi cüzdanınız olur.</p>
`},{id:`write`,heading:`Yazın`,html:`<ul>
<li><strong>Yaz</strong> düğmesi yazma penceresini açar. Bir metin 320 bayt olabilir; sunucu yüklemeye izin veriyorsa resim ve video eklenebilir. <code>@name</code> bir kişiden bahseder, bağlantı ise nereye götürdüğünü gösterir.</li>
<li>Yazma penceresindeki <strong>Anket</strong>, iki ila altı yanıtlı bir soru sorar. Sonucu herkes görür, kimin neyi seçtiğini kimse görmez. Oyunuzu anket bitene kadar değiştirebilirsiniz.</li>
<li><strong>Yanıtla, Alıntıla, Yeniden gönder, Beğen</strong> düğmeleri her gönderinin altındadır. Kendi gönderinizi menüsünden silebilirsiniz.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Kişileri ve kanalları bulun`,html:`<ul>
<li><strong>Keşfet</strong>; çok kişinin yazdığı etiketleri ve gönderileri, yeni resimleri, yeni kişi ve kanalları gösterir.</li>
<li><strong>Ara</strong>; gönderileri, kişileri ve kanalları bulur. “Filtreler” aramayı kişiye, kanala, günlere ve resimlere göre daraltır; şunları da yazabilirsiniz: <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li>Kişileri ve kanalları <strong>takip edin</strong>: yazdıkları Ana sayfada görünür. Size kimin yanıt verdiğini, gönderinizi kimin beğendiğini ve sizi kimin takip ettiğini Bildirimler’de görürsünüz.</li>
<li><strong>Etiketler ve listeler</strong>: bir <code>#tag</code> etiketini arama sayfasından takip edebilir, kişileri profillerinden kendi listenize ekleyebilirsiniz. İkisi de Ana sayfada yalnızca sizin gördüğünüz birer sekme olur.</li>
<li><strong>Kanallar</strong> belirli bir konu için açılmış yerlerdir. Orada yazdıklarınız hem kanalda hem profilinizde görünür; bazı kanallar yalnızca üyelerinin yazdıklarını gösterir. Bir kanalı Ana sayfada okumak için takip edin; moderatörler sizi üye olmaya davet edebilir. Kanalın kuralları olabilir; ilk gönderinizden önce bunları okursunuz. Kanal listesi kaç yeni gönderi olduğunu gösterir.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Başka dillerdeki gönderiler`,html:`<ul>
<li><strong>Çevir</strong>, okumadığınız bir dildeki gönderinin altındadır. Yöneticisi bir çeviri hizmeti ayarlamışsa çeviriyi sunucu yapar; o hizmete yalnızca metin gider. Yoksa, yapabiliyorsa tarayıcınız çevirir. O da olmazsa bir uygulama veya sayfa seçersiniz ve metin ona gider.</li>
<li><strong>Okuduğum diller</strong> (Ayarlar’da): herkese ait listelerde, tanımadığınız kişilerin başka dillerdeki gönderileri tek satıra katlanır, “Göster” bunları açar. Takip ettiklerinizin gönderileri hiç katlanmaz. Seçiminizi kimse görmez.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Sessize alın, engelleyin, şikâyet edin`,html:`<p>Bunlar her gönderinin ve her kişinin menüsündedir.</p>
<ul>
<li><strong>Sessize al</strong>: bir kişiyi, kanalı veya sözcüğü sessize alırsanız ondan artık hiçbir şey görmezsiniz. Kimseye haber verilmez.</li>
<li><strong>Engelle</strong>: engellediğiniz kişi burada size yanıt veremez, sizden bahsedemez ve sizi alıntılayamaz. Kimi engellediğinizi başkaları görebilir.</li>
<li><strong>Şikâyet et</strong>: kuralları çiğneyen şeyleri bildirin. Moderatörler okuyup karar verir; sonucunu size bildiririz. Kişi, kimin şikâyet ettiğini öğrenmez.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Moderatörler sizin hakkınızda karar verdiğinde`,html:`<p>Neye, neden karar verildiği Bildirimler’de yazar; örneğin gizlenen gönderiler. Her karara bir kez itiraz edebilirsiniz: Ayarlar’da “Şikâyetler” bölümünü açın ve neyin gözden kaçtığını yazın. Askıya alınan hesap yazamaz ama yine de itiraz edebilir ve verilerini alabilir.</p>
`},{id:`what-is-public`,heading:`Neler herkese açık`,html:`<p>Yazdığınız her şey herkese açıktır ve sizin imzanızı taşır: gönderiler, beğeniler, takipler, profiliniz ve kimi engellediğiniz. Sunucu bunları değiştiremez. Başka yere kopyalananlar, siz silseniz de orada kalır. Sessize aldıklarınız, yer imleriniz ve şikâyetleriniz herkese açık değildir.</p>
`},{id:`passkey-password-and-12-words`,heading:`Geçiş anahtarı, parola ve 12 kelime`,html:`<ul>
<li><strong>12 kelime</strong> hesabınızın ta kendisidir. Bunlar kimdeyse hesap onundur, her tarayıcıda ve her cüzdanda. Kâğıtta saklayın; buradan başka hiçbir yere yazmayın.</li>
<li><strong>Geçiş anahtarı</strong>, hesabınızı telefonunuzun veya bilgisayarınızın kilidiyle açar: parmak izi, yüz, PIN. Bu sunucunun adresine bağlıdır.</li>
<li><strong>Parola</strong>, onu hatırladığınız her yerde aynı işi görür. Sunucu parolanızı hiç öğrenmez; bu yüzden kimse onu bulup size söyleyemez.</li>
</ul>
<p>Birden fazlası olabilir: Ayarlar’daki “Oturum açma yolları ve cihazlar” bölümünde ekleyip kaldırabilirsiniz.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Kaybolan cihaz, unutulan parola`,html:`<ul>
<li>Başka bir cihazda geçiş anahtarıyla, parolayla veya 12 kelimeyle oturum açın ve kaybolan cihazı Ayarlar’dan kaldırın: artık sizin adınıza yazamaz.</li>
<li>Geçiş anahtarı da parola da yoksa 12 kelimeyi kullanın: önce “Katıl veya oturum aç”, sonra “Oturum aç”, ardından yeni bir parola belirleyin.</li>
<li>Hiçbiri yoksa: sunucunun kurtarma hizmeti varsa ve buna izin verdiyseniz “Oturum aç” sayfasında “Hepsini mi kaybettiniz?” seçeneğini seçin. Ayarlar’da e-posta adresi verdiyseniz oraya bir bağlantı gönderilir; vermediyseniz yöneticinin bunun siz olduğunuzu bilmesi gerekir. Ardından, bir hırsızın durdurulabileceği bir bekleme süresi başlar. İsteği yaptığınız cihazda “Oturum aç” ne kadar süreceğini gösterir ve süre dolunca sizi içeri alır.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`E-posta (sunucu gönderiyorsa)`,html:`<ul>
<li>Ayarlar’daki “E-posta adresi” bölümünde bir adres verin ve gelen bağlantının açtığı sayfadaki düğmeye basın. Adresi kimse görmez. Hesabınızı ilgilendirenler oraya bildirilir: yeni bir cihaz, yeni bir parola, başlayan bir kurtarma.</li>
<li>Başka neyin geleceğini siz seçersiniz: moderatörlerin kararları, takip ettiklerinizin yazdıklarından bir özet. Bu e-postaların her birinde onları sona erdiren bir bağlantı vardır.</li>
<li>Adresin değişmesi veya kaldırılması yedi gün bekler; şimdiki adrese gönderilen bağlantıyı kullanırsanız beklemez. Bunu siz yapmadıysanız o bağlantı işlemi durdurur.</li>
<li>Size ait olmayan bir hesap hakkında e-posta mı aldınız? “Bu ben değildim: bunlardan bir daha göndermeyin” buna son verir. Bunun için hesabınızın olması gerekmez.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Verilerinizi alın, taşının veya ayrılın`,html:`<ul>
<li>Ayarlar’daki <strong>Verilerimi indir</strong>, her şeyi içeren tek bir zip dosyası verir: içindeki <code>index.html</code> dosyasını açın.</li>
<li><strong>Cüzdana taşı</strong>, hesabı bir cüzdanınıza verir; bu protokole uygun her program o cüzdanı kullanabilir.</li>
<li><strong>Hesabımı sil</strong>, burada yazdığınız her şeyi kalıcı olarak siler. Kopyası olan diğer sunuculara da bildirilir.</li>
</ul>
`}];export{e as SECTIONS};