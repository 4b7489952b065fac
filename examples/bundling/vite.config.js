export default {
  build: {
    outDir: 'out',
    emptyOutDir: false,
    lib: { entry: 'main.js', formats: ['iife'], name: 'app', fileName: () => 'vite.js' },
  },
}
