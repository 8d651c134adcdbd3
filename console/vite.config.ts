import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

/** The site is built into console/dist with hashed names; the service itself serves it. No script, style or font comes from another host. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  plugins: [react()],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2023',
    sourcemap: false,
    // A strict content security policy forbids inline script and data: fonts, so nothing is inlined.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
