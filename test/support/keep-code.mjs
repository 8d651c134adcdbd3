// For `--import`: each thread of a service keeps its compiled code for the next service soon after it has loaded it. Node itself does so at the end of a thread.
import { flushCompileCache } from 'node:module';

setInterval(flushCompileCache, 3000).unref();
