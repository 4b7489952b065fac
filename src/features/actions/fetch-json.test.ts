import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { MAX_REDIRECTS } from '../../kernel/http/files/outgoing-file.ts'
import type { Lookup } from '../../kernel/http/outgoing.ts'
import { isPublicAddress } from '../../kernel/http/outgoing.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import { checkUrl, fetchJson, MAX_DOCUMENT_BYTES } from './fetch-json.ts'

const STRICT = { allowLoopback: false }
const LOCAL = { allowLoopback: true }

const addresses =
  (...list: string[]): Lookup =>
  async () =>
    list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

/** The sentence of a refusal, without the URL it begins with. */
async function refusalOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => assert.fail('it was not refused'),
    (thrown: unknown) => thrown,
  )
  assert(error instanceof Rejection, String(error))
  assert.deepEqual([error.code, error.field], ['bad_request.validation_failure', 'actionUrl'])
  return error.message.replace(/^\S+ /, '')
}

const NOT_PUBLIC = 'is not at a public address'

const PRIVATE = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.1', '10.255.255.255', '100.64.0.1', '100.127.255.255'],
  ...['127.0.0.1', '127.1.2.3', '169.254.0.1', '169.254.169.254', '172.16.0.1', '172.31.255.255'],
  ...['192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.0.1', '192.168.255.255', '198.18.0.1'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::7f00:1', '::ffff:127.0.0.1', '::ffff:8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1'],
  ...['2002:7f00:1::', '3fff::1', '4000::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1'],
  ...['febf::1', 'fec0::1', 'ff02::1', 'ff0e::1'],
  // Of clouds, which only their machines reach.
  ...['168.63.129.16', '100.100.100.200', 'fd00:ec2::254', 'fd20:ce::254'],
]
const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0'],
  ...['126.255.255.255', '128.0.0.0', '169.253.255.255', '172.15.255.255', '172.32.0.0'],
  ...['192.167.255.255', '192.169.0.0', '198.20.0.0', '223.255.255.255', '168.63.129.17'],
  ...['2001:4860:4860::8888', '2606:4700:4700::1111', '2a00:1450:4001::1'],
]

describe('public and private addresses', () => {
  test('private and reserved addresses are told from public ones', () => {
    for (const address of PRIVATE) assert.equal(isPublicAddress(address), false, address)
    for (const address of PUBLIC) assert.equal(isPublicAddress(address), true, address)
  })

  test('text that is not an address is not public', () => {
    for (const text of [
      '',
      'localhost',
      '1.1.1',
      '01.1.1.1',
      '8.8.8.8 ',
      '[::1]',
      '1',
      '0x8080808',
    ]) {
      assert.equal(isPublicAddress(text), false, text)
    }
  })
})

describe('URLs of documents', () => {
  const hosts = [
    ...PRIVATE.map((address) => (address.includes(':') ? `[${address}]` : address)),
    ...[
      '2130706433',
      '017700000001',
      '0x7f000001',
      '0x7f.0.0.1',
      '0177.0.0.01',
      '127.1',
      '127.0.1',
    ],
    ...[
      '0',
      '0x0',
      '3232235521',
      '0xa9fea9fe',
      '169.16689662',
      '[::ffff:7f00:1]',
      '[0:0:0:0:0:0:0:1]',
    ],
    ...['１２７.０.０.１', '127。0。0。1', '①②⑦.⓪.⓪.①', '127.0.0.1.', '%31%32%37.0.0.1'],
  ]

  test('a URL with a private address in any spelling is refused without a request', async () => {
    let asked = 0
    const lookup: Lookup = async () => {
      asked++
      return []
    }
    for (const host of hosts) {
      const url = new URL(`https://${host}/action.json`)
      assert.equal(await refusalOf(fetchJson(url, { ...STRICT, lookup })), NOT_PUBLIC, host)
    }
    assert.equal(asked, 0)
  })

  test('a URL must be https, on port 443, without a user and of bounded length', () => {
    const refused = (text: string) => {
      try {
        checkUrl(new URL(text), STRICT)
        return undefined
      } catch (error) {
        return (error as Error).message.replace(/^\S+ /, '')
      }
    }
    for (const scheme of ['http', 'ftp', 'file', 'data', 'javascript', 'ws', 'gopher']) {
      assert.equal(refused(`${scheme}://example.com/`), 'must begin with https:', scheme)
    }
    for (const port of [1, 22, 80, 8443, 65_535]) {
      assert.equal(refused(`https://example.com:${port}/`), 'must be at the usual port')
    }
    for (const user of ['a@', 'a:b@', ':b@', 'example.com%2f@']) {
      assert.equal(refused(`https://${user}1.1.1.1/`), 'has a user name in it', user)
    }
    assert.equal(
      refused(`https://example.com/${'x'.repeat(1_024)}`),
      'is longer than 1024 characters',
    )
    assert.equal(refused('https://example.com:443/a?b=c'), undefined)
    assert.equal(refused('https://1.1.1.1/a'), undefined)
  })

  test('a URL whose host resolves to any private address is refused', async () => {
    for (const address of PRIVATE) {
      for (const list of [[address], ['8.8.8.8', address], [address, '2606:4700:4700::1111']]) {
        const lookup = addresses(...list)
        const url = new URL('https://innocent.example/')
        assert.equal(await refusalOf(fetchJson(url, { ...STRICT, lookup })), NOT_PUBLIC, address)
      }
    }
    const nowhere = fetchJson(new URL('https://x.example/'), { ...STRICT, lookup: addresses() })
    assert.equal(await refusalOf(nowhere), NOT_PUBLIC)
  })

  test('a URL whose host does not resolve is refused with that reason', async () => {
    const lookup: Lookup = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
    }
    const refusal = await refusalOf(fetchJson(new URL('https://x.example/'), { ...STRICT, lookup }))
    assert.equal(refusal, 'cannot be reached (ENOTFOUND)')
  })

  test('error messages omit the query of a URL, which may contain secrets', async () => {
    const url = new URL('https://10.0.0.1/a?token=hush#x')
    await assert.rejects(fetchJson(url, STRICT), { message: `https://10.0.0.1/a ${NOT_PUBLIC}` })
  })
})

describe('fetching from a real server', { concurrency: true }, () => {
  const servers: ReturnType<typeof createServer>[] = []
  after(() => {
    for (const server of servers) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function serve(handler: RequestListener) {
    const server = createServer(handler).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { server, port, url: new URL(`http://127.0.0.1:${port}/action`) }
  }
  const json =
    (text: string, type = 'application/json'): RequestListener =>
    (_, response) => {
      response.writeHead(200, { 'content-type': type }).end(text)
    }
  const to =
    (location: string): RequestListener =>
    (_, response) => {
      response.writeHead(302, { location }).end()
    }

  test('a document is accepted with any JSON content type', async () => {
    for (const type of [
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/ld+json',
    ]) {
      const { url } = await serve(json('{"name":"é"}', type))
      assert.deepEqual(await fetchJson(url, LOCAL), { name: 'é' })
    }
  })

  test('a document on this machine is fetched only if that is allowed', async () => {
    let asked = 0
    const { url, port } = await serve((request, response) => {
      asked++
      json('{}')(request, response)
    })
    assert.equal(await refusalOf(fetchJson(url, STRICT)), NOT_PUBLIC)
    const named = new URL(`https://innocent.example/`)
    const options = { ...STRICT, lookup: addresses('127.0.0.1') }
    assert.equal(await refusalOf(fetchJson(named, options)), NOT_PUBLIC)
    assert.equal(asked, 0)
    await fetchJson(new URL(`http://localhost:${port}/`), {
      ...LOCAL,
      lookup: addresses('127.0.0.1'),
    })
    assert.equal(asked, 1)
  })

  test('a fetch connects to the address that was checked, and resolves the name once', async () => {
    const { port } = await serve(json('{"here":true}'))
    let asked = 0
    // A name that is harmless when it is looked at, and something else a moment later.
    const lookup: Lookup = async () => {
      const [first, then] = ['127.0.0.1', '10.0.0.1']
      return [{ address: asked++ === 0 ? first! : then!, family: 4 }]
    }
    const url = new URL(`http://localhost:${port}/`)
    assert.deepEqual(await fetchJson(url, { ...LOCAL, lookup }), { here: true })
    assert.equal(asked, 1)
    assert.equal(await refusalOf(fetchJson(url, { ...LOCAL, lookup })), NOT_PUBLIC)
  })

  test('a fetch follows a few redirects', async () => {
    const { url } = await serve((request, response) => {
      const left = Number(new URL(request.url!, 'http://x').searchParams.get('left') ?? 0)
      if (left === 0) json('{"there":1}')(request, response)
      else to(`/action?left=${left - 1}`)(request, response)
    })
    const from = (left: number) => fetchJson(new URL(`?left=${left}`, url), LOCAL)
    assert.deepEqual(await from(MAX_REDIRECTS), { there: 1 })
    assert.equal(
      await refusalOf(from(MAX_REDIRECTS + 1)),
      `redirects more than ${MAX_REDIRECTS} times`,
    )
    const { url: loop } = await serve((_, response) => {
      response.writeHead(302, { location: '/again' }).end()
    })
    assert.equal(
      await refusalOf(fetchJson(loop, LOCAL)),
      `redirects more than ${MAX_REDIRECTS} times`,
    )
  })

  test('a redirect to a private address is refused', async () => {
    const cases: [string, string][] = [
      ['http://10.0.0.1/', NOT_PUBLIC],
      ['https://169.254.169.254/latest/meta-data/', NOT_PUBLIC],
      ['https://[::ffff:10.0.0.1]/', NOT_PUBLIC],
      ['//192.168.0.1/x', NOT_PUBLIC],
      ['http://example.com/', 'must begin with https:'],
      ['https://example.com:22/', 'must be at the usual port'],
      ['https://user:pass@example.com/', 'has a user name in it'],
      ['file:///etc/passwd', 'must begin with https:'],
      ['https://inside.example/', NOT_PUBLIC],
      ['http://', 'redirects to nowhere'],
    ]
    for (const [location, what] of cases) {
      const { url } = await serve(to(location))
      const options = { ...LOCAL, lookup: addresses('10.1.2.3') }
      assert.equal(await refusalOf(fetchJson(url, options)), what, location)
    }
  })

  test('an answer that is not JSON is refused with its content type or status', async () => {
    const cases: [RequestListener, string][] = [
      [json('<html>', 'text/html'), 'did not answer with application/json'],
      [json('{}', 'application/json-seq'), 'did not answer with application/json'],
      [json('{}', ''), 'did not answer with application/json'],
      [json('{'), 'did not answer with JSON'],
      [json(''), 'did not answer with JSON'],
      [
        (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(Buffer.from([0x22, 0xff, 0x22]))
        },
        'did not answer with JSON',
      ],
      [(_, response) => response.writeHead(404).end(), 'answered 404'],
      [(_, response) => response.writeHead(500).end(), 'answered 500'],
      [
        (_, response) => response.writeHead(206, { 'content-type': 'application/json' }).end('{}'),
        'answered 206',
      ],
      [(request) => request.socket.destroy(), 'cannot be reached (ECONNRESET)'],
      [
        (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': '9' })
          response.write('{', () => response.destroy())
        },
        'cannot be reached (ECONNRESET)',
      ],
    ]
    for (const [handler, what] of cases) {
      const { url } = await serve(handler)
      assert.equal(await refusalOf(fetchJson(url, LOCAL)), what)
    }
    const { url, server } = await serve(json('{}'))
    server.close()
    await once(server, 'close')
    assert.equal(await refusalOf(fetchJson(url, LOCAL)), 'cannot be reached (ECONNREFUSED)')
  })

  test('an endless answer is cut off at the size limit', async () => {
    const exactly = `"${'x'.repeat(MAX_DOCUMENT_BYTES - 2)}"`
    const { url } = await serve(json(exactly))
    assert.equal((await fetchJson(url, LOCAL))?.toString().length, MAX_DOCUMENT_BYTES - 2)
    let sent = 0
    let closed: (() => void) | undefined
    const gone = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { url: endless } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(8_192))) sent += 8_192
      }
      response.on('drain', more).on('close', () => closed?.())
      more()
    })
    const refusal = await refusalOf(fetchJson(endless, LOCAL))
    assert.equal(refusal, `answered more than ${MAX_DOCUMENT_BYTES} bytes`)
    await gone
    assert(sent < 100 * MAX_DOCUMENT_BYTES, `${sent} bytes were taken`)
  })

  test('a fetch that is slow in any phase times out', async () => {
    const slow: RequestListener[] = [
      () => {},
      (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).write('{'),
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        const timer = setInterval(() => response.write(' '), 20)
        response.on('close', () => clearInterval(timer))
      },
      // Each step in time, all of them together not.
      (request, response) => setTimeout(() => to('/next')(request, response), 70),
    ]
    await Promise.all(
      slow.map(async (handler) => {
        const { url } = await serve(handler)
        const refusal = await refusalOf(fetchJson(url, { ...LOCAL, timeoutMs: 200 }))
        assert.equal(refusal, 'did not answer in time')
      }),
    )
    const lookup: Lookup = () => new Promise(() => {})
    const name = new URL('https://slow.example/')
    const refusal = await refusalOf(fetchJson(name, { ...STRICT, lookup, timeoutMs: 100 }))
    assert.equal(refusal, 'did not answer in time')
  })
})
