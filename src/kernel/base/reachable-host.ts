/** The host part of a URL with which programs of this machine reach what listens on an address, also on all of them. */
export function reachableHost(listensOn: string): string {
  if (listensOn === '0.0.0.0') return '127.0.0.1'
  if (listensOn === '::') return '[::1]'
  return listensOn.includes(':') ? `[${listensOn}]` : listensOn
}
