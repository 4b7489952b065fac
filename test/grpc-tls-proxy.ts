import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { signedCertificate } from './certificate.ts'

/** A proxy that ends TLS in front of the gRPC server at `host:port`, with a certificate that it signs itself. */
export async function startGrpcTlsProxy(target: string) {
  const dir = mkdtempSync(join(tmpdir(), 'rookery-tls-'))
  const { key, certificate } = signedCertificate(dir)
  const [host, port] = target.split(':')
  const proxy = createServer(
    { key: readFileSync(key), cert: readFileSync(certificate), ALPNProtocols: ['h2'] },
    (inbound) => {
      const outbound = connect(Number(port), host)
      for (const socket of [inbound, outbound]) socket.on('error', () => {})
      inbound.pipe(outbound).pipe(inbound)
    },
  )
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return {
    address: `localhost:${(proxy.address() as AddressInfo).port}`,
    /** The file of the certificate. */
    certificate,
    close() {
      proxy.close()
      rmSync(dir, { recursive: true })
    },
  }
}
