import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

/** Writes a certificate of localhost that it signs itself, and its key, into a directory; returns their files. */
export function signedCertificate(dir: string): { key: string; certificate: string } {
  const [key, certificate] = [join(dir, 'key.pem'), join(dir, 'certificate.pem')]
  const options = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost
    -addext subjectAltName=DNS:localhost -keyout ${key} -out ${certificate}`
  execFileSync('openssl', options.split(/\s+/), { stdio: 'ignore' })
  return { key, certificate }
}
