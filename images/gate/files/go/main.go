// Gate waits until all given conditions are met. It only reads from the cluster.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const interval = 2 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run returns the exit code: 0 all conditions are met, 1 not in time, 2 usage, 143 stopped by a signal.
func run(ctx context.Context, words []string) int {
	request, err := parse(words)
	if errors.Is(err, errHelp) {
		fmt.Print(usage)
		return 0
	}
	if err != nil {
		report("%v\n  -> see gate --help", err)
		return 2
	}
	started := time.Now()
	limited, cancel := context.WithTimeout(ctx, request.timeout)
	defer cancel()
	unmet := wait(limited, request)
	switch {
	case len(unmet) == 0:
		report("all conditions met after %.1f s", time.Since(started).Seconds())
		return 0
	case ctx.Err() != nil:
		report("stopped by a signal")
		return 143
	}
	text := ""
	for _, each := range unmet {
		text += fmt.Sprintf("\n  %s: %s", each.condition.name(), each.reason)
	}
	report("conditions not met after %s:%s\n  -> check these objects", request.timeout, text)
	return 1
}

type waiting struct {
	condition condition
	reason    string
}

// wait returns the conditions that were not met before the context ended.
func wait(ctx context.Context, request request) []waiting {
	api := newAPI(request.account)
	pending := make([]waiting, len(request.conditions))
	for index, condition := range request.conditions {
		pending[index].condition = condition
	}
	for {
		rest := pending[:0]
		for _, each := range pending {
			reason := each.condition.check(ctx, api)
			if ctx.Err() != nil {
				// The reason of a request that was cut short says nothing about the condition.
				if reason != "" && each.reason == "" {
					each.reason = "no answer from the cluster"
				} else if reason == "" {
					continue
				}
				rest = append(rest, each)
				continue
			}
			if reason == "" {
				report("%s: met", each.condition.name())
				continue
			}
			if reason != each.reason {
				report("waiting for %s: %s", each.condition.name(), reason)
			}
			rest = append(rest, waiting{each.condition, reason})
		}
		pending = rest
		if len(pending) == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return pending
		case <-time.After(interval):
		}
	}
}

// report writes a line to the standard output, where `kubectl logs` and the tests of the image read it.
func report(format string, values ...any) {
	fmt.Printf("gate: "+format+"\n", values...)
}
