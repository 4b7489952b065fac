import { fileURLToPath } from 'node:url'

export default {
  mode: 'production',
  entry: './main.js',
  output: { path: fileURLToPath(new URL('out', import.meta.url)), filename: 'webpack.js' },
}
