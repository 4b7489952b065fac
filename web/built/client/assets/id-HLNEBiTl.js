var e=[{id:`join`,heading:`Bergabung`,html:`<p>Buka tautan yang kamu terima, misalnya <code>https://social.example.org/join?invite=…</code>. Pilih nama dan kunci sandi atau kata sandi: browsermu membuat kunci yang menjadi pemilik akunmu, menyegelnya dengan itu, lalu menyimpannya. Cetak kit pemulihan: dengan kata-kata di dalamnya kamu bisa masuk dari mana saja, dan tidak ada orang lain yang bisa memulihkannya kalau hilang. Kalau kamu punya dompet, “Pakai dompet saja” membuat dompet itu menjadi pemilik akunmu.</p>
`},{id:`write`,heading:`Menulis`,html:`<ul>
<li><strong>Tulis</strong> membuka kotak tulis. Satu teks memuat 320 byte; gambar dan video bisa ditambahkan kalau server menerima unggahan. <code>@name</code> menyebut seseorang, dan tautan menampilkan cuplikan isinya.</li>
<li><strong>Jajak pendapat</strong> di kotak tulis mengajukan pertanyaan dengan dua sampai enam jawaban. Semua orang melihat hasilnya, tidak ada yang melihat siapa memilih apa, dan kamu boleh mengubah pilihanmu sampai waktunya habis.</li>
<li><strong>Balas, kutip, posting ulang, suka</strong> ada di bawah setiap postingan. Hapus postinganmu sendiri lewat menunya.</li>
</ul>
`},{id:`find-people-and-channels`,heading:`Menemukan orang dan kanal`,html:`<ul>
<li><strong>Jelajahi</strong> menampilkan tagar dan postingan yang sedang ramai, gambar baru, serta orang dan kanal baru.</li>
<li><strong>Cari</strong> menemukan postingan, orang, dan kanal. “Filter” mempersempitnya menurut orang, kanal, hari, dan gambar; kamu juga bisa mengetik <code>from:alice</code>, <code>in:gardening</code>, <code>since:2026-01-01</code>, <code>until:2026-01-31</code>, <code>has:pictures</code>, <code>#tag</code>, <code>&quot;exact words&quot;</code>, <code>-without</code>, <code>one | other</code>.</li>
<li><strong>Ikuti</strong> orang dan kanal: Beranda akan menampilkan yang mereka tulis. Notifikasi memberi tahu siapa yang membalas, menyukai, atau mengikutimu.</li>
<li><strong>Tagar dan daftar</strong>: ikuti sebuah <code>#tag</code> dari hasil pencariannya, dan masukkan orang ke daftarmu dari profilnya. Keduanya menjadi tab di Beranda yang hanya bisa kamu lihat.</li>
<li><strong>Kanal</strong> adalah tempat untuk satu topik. Yang kamu tulis di sana muncul di kanal dan juga di profilmu; beberapa kanal hanya menampilkan tulisan anggotanya. Ikuti sebuah kanal untuk membacanya di Beranda; moderator bisa mengundangmu menjadi anggota. Kanal bisa punya aturan, yang kamu baca sebelum postingan pertamamu, dan daftar kanal menunjukkan berapa banyak postingan baru.</li>
</ul>
`},{id:`posts-in-other-languages`,heading:`Postingan dalam bahasa lain`,html:`<ul>
<li><strong>Terjemahkan</strong> ada di bawah postingan dalam bahasa yang tidak kamu baca. Server yang menerjemahkan kalau pengelolanya sudah menyiapkan penerjemah, yang hanya menerima teksnya; kalau tidak, browsermu, jika bisa; kalau tidak juga, kamu memilih aplikasi atau halaman, yang lalu menerima teksnya.</li>
<li><strong>Bahasa yang saya baca</strong> ada di Pengaturan: di daftar postingan semua orang, postingan dari orang yang tidak kamu kenal dalam bahasa lain dilipat menjadi satu baris, dan “Tampilkan” membukanya. Postingan orang yang kamu ikuti tidak pernah dilipat. Tidak ada yang melihat pilihanmu.</li>
</ul>
`},{id:`mute-block-and-report`,heading:`Menyenyapkan, memblokir, dan melaporkan`,html:`<p>Semua ini ada di menu setiap postingan dan setiap orang.</p>
<ul>
<li><strong>Senyapkan</strong> orang, kanal, atau kata: kamu tidak melihatnya lagi. Tidak ada yang diberi tahu.</li>
<li><strong>Blokir</strong> seseorang: ia tidak bisa membalas, menyebut, atau mengutipmu di sini. Orang lain bisa melihat siapa yang kamu blokir.</li>
<li><strong>Laporkan</strong> yang melanggar aturan. Moderator membacanya dan memutuskan; kamu diberi tahu hasilnya. Orang yang dilaporkan tidak tahu siapa pelapornya.</li>
</ul>
`},{id:`when-moderators-decide-about-you`,heading:`Saat moderator mengambil keputusan tentang kamu`,html:`<p>Notifikasi memberi tahu apa yang diputuskan dan alasannya, misalnya ada postingan yang disembunyikan. Setiap keputusan bisa kamu ajukan banding satu kali: buka “Laporan” di Pengaturan dan tulis apa yang terlewat. Selama ditangguhkan, akun tidak bisa menulis, tetapi tetap bisa mengajukan banding dan membawa datanya.</p>
`},{id:`what-is-public`,heading:`Apa saja yang publik`,html:`<p>Semua yang kamu tulis bersifat publik dan bertanda tanganmu: postingan, suka, yang kamu ikuti, profilmu, dan siapa yang kamu blokir. Server tidak bisa mengubahnya. Yang sudah disalin ke tempat lain tetap ada di sana meski kamu menghapusnya. Yang kamu senyapkan, markahi, dan laporkan tidak publik.</p>
`},{id:`passkey-password-and-12-words`,heading:`Kunci sandi, kata sandi, dan 12 kata`,html:`<ul>
<li><strong>12 kata</strong> itu adalah akunmu. Siapa pun yang punya kata-kata itu memiliki akunmu, di browser dan dompet mana pun. Simpan di kertas; jangan pernah mengetiknya di tempat lain selain di sini.</li>
<li><strong>Kunci sandi</strong> membuka akunmu dengan kunci layar ponsel atau komputermu: jari, wajah, atau PIN. Kunci sandi hanya berlaku untuk alamat server ini.</li>
<li><strong>Kata sandi</strong> berfungsi sama di mana saja selama kamu mengingatnya. Server tidak pernah mengetahuinya, jadi tidak ada yang bisa mencarikannya untukmu.</li>
</ul>
<p>Kamu bisa punya beberapa: tambah dan hapus di Pengaturan, di bawah “Cara masuk dan perangkat”.</p>
`},{id:`a-lost-device-a-lost-password`,heading:`Perangkat hilang, kata sandi hilang`,html:`<ul>
<li>Masuk di perangkat lain dengan kunci sandi, kata sandi, atau 12 kata, lalu hapus perangkat yang hilang di Pengaturan: perangkat itu tidak bisa lagi menulis atas namamu.</li>
<li>Kalau tidak punya kunci sandi maupun kata sandi, pakai 12 kata: “Gabung atau masuk”, lalu “Masuk”, dan buat kata sandi baru.</li>
<li>Kalau tidak punya satu pun: selama server punya layanan pemulihan dan kamu pernah mengizinkannya, pilih “Kehilangan semuanya?” di “Masuk”. Sebuah tautan dikirim ke alamat emailmu kalau kamu mengisinya di Pengaturan; kalau tidak, pengelola harus memastikan bahwa itu memang kamu. Setelah itu ada masa tunggu, saat pencuri masih bisa dihentikan. Di perangkat tempat kamu memintanya, “Masuk” menunjukkan berapa lama lagi, dan setelah itu kamu bisa masuk.</li>
</ul>
`},{id:`e-mail-if-the-server-sends-any`,heading:`Email, kalau server mengirimnya`,html:`<ul>
<li>Di Pengaturan, di bawah “Alamat email”, isi alamatmu, lalu buka tautan yang dikirim dan tekan tombol di halamannya. Tidak ada yang melihat alamat itu. Lewat alamat itu kamu diberi tahu hal-hal yang menyangkut akunmu: perangkat baru, kata sandi baru, pemulihan yang dimulai.</li>
<li>Kamu memilih apa lagi yang dikirim: keputusan moderator, atau ringkasan tulisan orang yang kamu ikuti. Setiap email seperti itu punya tautan untuk berhenti menerimanya.</li>
<li>Penggantian atau penghapusan alamat mulai berlaku setelah tujuh hari, kecuali kamu memakai tautan yang dikirim ke alamat sekarang. Kalau itu bukan kamu, tautan itu menghentikannya.</li>
<li>Kalau kamu menerima email tentang akun yang bukan milikmu, “Ini bukan saya: jangan kirim lagi” menghentikannya. Kamu tidak perlu punya akun.</li>
</ul>
`},{id:`take-your-data-with-you-move-or-leave`,heading:`Membawa data, pindah, atau pergi`,html:`<ul>
<li><strong>Unduh data saya</strong> di Pengaturan memberimu satu file zip berisi semuanya: buka <code>index.html</code> di dalamnya.</li>
<li><strong>Pindah ke dompet</strong> menyerahkan akun ke dompetmu, yang bisa dipakai program apa pun untuk protokol ini.</li>
<li><strong>Hapus akun saya</strong> menghapus semua yang kamu tulis di sini, untuk selamanya. Server lain yang punya salinannya diberi tahu.</li>
</ul>
`}];export{e as SECTIONS};