import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from '../../config.ts'
import { parseMailAddress } from '../../kernel/protocol/mail-address.ts'

const smtpOf = (url: string, more: object = { ROOKERY_PUBLIC_URL: 'https://social.example' }) =>
  readConfig({ ROOKERY_SMTP_URL: url, ...more }, 'development').smtp
const faultOf = (url: string, more?: object): string => {
  try {
    smtpOf(url, more)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('a mail server is named with its login, and asks for TLS unless it is on this machine or the operator says otherwise', () => {
  assert.deepEqual(smtpOf('smtps://ada:p%40ss@mail.example?from=a@b.example'), {
    ...{ host: 'mail.example', port: 465, tls: 'implicit', isVerified: true },
    login: { user: 'ada', pass: 'p@ss' },
    from: 'a@b.example',
  })
  const tlsOf = (url: string) => {
    const { port, tls, isVerified } = smtpOf(url)!
    return [port, tls, isVerified]
  }
  assert.deepEqual(tlsOf('smtp://a:b@mail.example?from=a@b.example'), [587, 'starttls', true])
  assert.deepEqual(tlsOf('smtp://mail.example:25?from=a@b.example&tls=off'), [25, 'optional', true])
  assert.deepEqual(tlsOf('smtp://127.0.0.1:25?from=a@b.example'), [25, 'optional', false])
  assert.deepEqual(tlsOf('smtp://[::1]:25?from=a@b.example'), [25, 'optional', false])
  // The address of the login, when it is one.
  assert.equal(smtpOf('smtps://ada%40b.example:x@mail.example')!.from, 'ada@b.example')
})

test('a setting that cannot be a mail server is refused without its password', () => {
  for (const url of [
    'https://ada:s3cret@mail.example?from=a@b.example',
    'smtps://ada:s3cret@mail.example/path?from=a@b.example',
    'smtps://ada:s3cret@mail.example',
    'smtps://ada:s3cret@mail.example?from=nobody',
    'smtps://ada:s3cret@mail.example?from=a@b.example&tls=off',
    'smtps://ada:s3cret@mail.example?from=a@b.example&pool=yes',
    'smtps://:s3cret@mail.example?from=a@b.example',
    's3cret',
  ]) {
    assert.match(faultOf(url), /ROOKERY_SMTP_URL (?:must|may|cannot)/, url)
    assert.doesNotMatch(faultOf(url), /s3cret/, url)
  }
  const fault = faultOf('smtps://mail.example?from=a@b.example', {})
  assert.match(fault, /ROOKERY_SMTP_URL needs ROOKERY_PUBLIC_URL/)
})

test('addresses are kept in lower case with their domain in ASCII, and what is no address is refused', () => {
  assert.equal(parseMailAddress(' Ada.Lovelace+news@Example.ORG '), 'ada.lovelace+news@example.org')
  assert.equal(parseMailAddress('info@Bücher.example'), 'info@xn--bcher-kva.example')
  const local = 'a'.repeat(64)
  assert.ok(parseMailAddress(`${local}@example.org`))
  for (const text of [
    '',
    'ada',
    '@example.org',
    'ada@',
    'ada@localhost',
    'ada@127.0.0.1',
    'ada@[127.0.0.1]',
    'ada@example',
    'ada@-example.org',
    'ada@exa mple.org',
    'ada@example.org>',
    'ada@example.org\r\nBcc: eve@example.org',
    'ada\n@example.org',
    'ada,eve@example.org',
    '"ada"@example.org',
    '.ada@example.org',
    'a..b@example.org',
    'jürgen@example.org',
    'a@b@example.org',
    `${local}a@example.org`,
    `a@${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(63)}.${'e'.repeat(63)}.org`,
  ]) {
    assert.equal(parseMailAddress(text), undefined, text)
  }
})
