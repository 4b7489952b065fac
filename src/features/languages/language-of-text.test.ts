import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eld } from 'eld/extrasmall'
import { languageOfText } from './language-of-text.ts'
import { READABLE } from './readable.ts'

const languageOf = (text: string) => languageOfText(text, eld.detect)

/** As members write. */
const SENTENCES: Readonly<Record<string, readonly string[]>> = {
  ar: ['صباح الخير يا أصدقاء، كيف حالكم اليوم؟', 'رأيت طائرا جميلا قرب النهر هذا الصباح'],
  de: [
    'Guten Morgen zusammen, heute scheint endlich die Sonne',
    'Weiß jemand, wann der Zug fährt?',
  ],
  en: ['Good morning everyone, the sun is out at last', 'Does anybody know when the train leaves?'],
  es: ['Buenos días a todos, por fin ha salido el sol', '¿Alguien sabe cuándo sale el tren?'],
  fa: ['صبح بخیر دوستان، امروز هوا خیلی خوب است', 'کسی می‌داند قطار کی حرکت می‌کند؟'],
  fr: ['Bonjour à tous, le soleil est enfin là', 'Quelqu’un sait à quelle heure part le train ?'],
  hi: ['आज सुबह मैंने नदी के पास एक बहुत सुंदर पक्षी देखा और मुझे बहुत अच्छा लगा'],
  id: [
    'Selamat pagi semuanya, hari ini cuacanya bagus sekali',
    'Ada yang tahu kapan keretanya berangkat?',
  ],
  it: ['Buongiorno a tutti, finalmente è uscito il sole', 'Qualcuno sa quando parte il treno?'],
  ja: ['おはようございます、今日はいい天気です', '猫がかわいい'],
  ko: ['안녕하세요 여러분', '오늘 날씨가 정말 좋네요'],
  pl: ['Dzień dobry wszystkim, wreszcie wyszło słońce', 'Czy ktoś wie, kiedy odjeżdża pociąg?'],
  pt: ['Bom dia a todos, finalmente saiu o sol', 'Alguém sabe quando o trem sai da estação?'],
  tr: ['Herkese günaydın, sonunda güneş çıktı', 'Trenin ne zaman kalkacağını bilen var mı?'],
  uk: ['Доброго ранку всім, нарешті вийшло сонце', 'Хтось знає, коли відходить потяг?'],
  zh: ['大家早上好，今天终于出太阳了', '有人知道火车几点开吗'],
}

test('a sentence in each language of the pages is told, also with addresses, names, tags and emoji in it', () => {
  for (const [code, sentences] of Object.entries(SENTENCES)) {
    assert.ok(READABLE.includes(code))
    for (const sentence of sentences) {
      assert.equal(languageOf(sentence), code, sentence)
      const dressed = `@the.weather ${sentence} 🌞🌞 #weatherreport https://example.org/the/weather/in/london www.example.co.uk/the-weather`
      assert.equal(languageOf(dressed), code, dressed)
    }
  }
})

test('nothing is said of what is short, has no words or is in two languages', () => {
  const unclear = [
    ...[
      '',
      'gm',
      'lol',
      'ok',
      'no way',
      'Haha nice',
      '漢字',
      '🎉🎉🎉',
      '12,345.67 + 8',
      '#rookery #weather',
    ],
    ...[
      'https://example.org/guten-morgen-zusammen-heute',
      '@ann @bob.eth /founders',
      'ETH BTC SOL',
      'лол',
    ],
    ...['"><svg onload=open()><a href="javascript:open()">', 'data:text/html,<b>open</b>'],
    ...[
      'hahahahahahahaha',
      'Hahahahahahahah!',
      'jajajajajajajajaja',
      'wkwkwkwkwkwkwkwk',
      'lololololololol',
    ],
    ...['$DEGEN', 'wwwwwwwwwwwwwwwwwww', 'www.weather-in-london.example.org/today'],
    'Guten Morgen zusammen, heute scheint endlich wieder die Sonne. Good morning everyone, the sun is out again at last.',
    'Bonjour à tous, le soleil est enfin revenu ce matin! 大家早上好，今天终于出太阳了，我们去公园走走吧，好不好',
  ]
  for (const text of unclear) assert.equal(languageOf(text), undefined, text)
})

test('a text made to be slow takes about as long as a sentence', () => {
  const texts = [
    'a-'.repeat(50_000),
    'a.'.repeat(50_000),
    ...['<'.repeat(100_000), 'a'.repeat(100_000)],
    '@'.repeat(100_000),
    'https://'.repeat(10_000),
  ]
  // The quickest of several: other work on the machine makes single ones slow.
  const timeOf = (text: string) => {
    const times = Array.from({ length: 20 }, () => {
      const start = performance.now()
      languageOf(text)
      return performance.now() - start
    })
    return Math.min(...times)
  }
  const usual = timeOf(`${SENTENCES['de']![0]} `.repeat(12))
  for (const text of texts) assert.ok(timeOf(text) < 20 * usual + 50, text.slice(0, 10))
})
