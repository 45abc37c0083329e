package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

const usage = `Waits until all given conditions are met.

  gate [--service NAMESPACE/NAME]... [--job NAMESPACE/NAME]... [--job-of NAMESPACE/NAME]...
       [--workload KIND/NAMESPACE/NAME]... [--rollout KIND/NAMESPACE/NAME@CONTENT]...
       [--timeout 1h] [--account FOLDER]

  --service   the Service has a ready endpoint
  --job       the Job is complete
  --job-of    a Job with the label ccp.openstack.org/job=NAME is complete
  --workload  the Deployment, StatefulSet or DaemonSet has a ready pod
  --rollout   the workload has the annotation ccp.openstack.org/content=CONTENT, all its pods are updated
              and ready, and none is terminating
  --timeout   limit for all conditions together (default: 1h)
  --account   folder with the token of the service account

Exit codes: 0 all conditions are met; 1 not in time; 2 usage error.
`

var errHelp = errors.New("help")

type request struct {
	conditions []condition
	timeout    time.Duration
	account    string
}

var (
	objectName = regexp.MustCompile(`^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$`)
	content    = regexp.MustCompile(`^[0-9a-f]{1,64}$`)
	kinds      = []string{"Deployment", "StatefulSet", "DaemonSet"}
)

func parse(words []string) (request, error) {
	result := request{
		timeout: time.Hour,
		account: "/var/run/secrets/kubernetes.io/serviceaccount",
	}
	for index := 0; index < len(words); index += 2 {
		flag := words[index]
		if flag == "--help" {
			return result, errHelp
		}
		if !slices.Contains([]string{"--service", "--job", "--job-of", "--workload", "--rollout", "--timeout", "--account"}, flag) {
			return result, fmt.Errorf("unknown option %q", flag)
		}
		if index+1 == len(words) {
			return result, fmt.Errorf("%s needs a value", flag)
		}
		value := words[index+1]
		switch flag {
		case "--timeout":
			limit, err := time.ParseDuration(value)
			if err != nil || limit <= 0 {
				return result, fmt.Errorf("%q is not a duration such as 300s, 5m or 1h", value)
			}
			result.timeout = limit
		case "--account":
			result.account = value
		default:
			parsed, err := parseCondition(flag, value)
			if err != nil {
				return result, err
			}
			result.conditions = append(result.conditions, parsed)
		}
	}
	if len(result.conditions) == 0 {
		return result, errors.New("no condition given")
	}
	return result, nil
}

func parseCondition(flag, value string) (condition, error) {
	parts := strings.Split(value, "/")
	if flag == "--workload" || flag == "--rollout" {
		hash := ""
		last := len(parts) - 1
		if flag == "--rollout" {
			parts[last], hash, _ = strings.Cut(parts[last], "@")
		}
		if len(parts) != 3 || !slices.Contains(kinds, parts[0]) || !areNames(parts[1:]) ||
			(flag == "--rollout" && !content.MatchString(hash)) {
			return nil, fmt.Errorf("%q is not a workload such as Deployment/openstack/keystone-api", value)
		}
		return workload{kind: parts[0], namespace: parts[1], object: parts[2], content: hash}, nil
	}
	if len(parts) != 2 || !areNames(parts) {
		return nil, fmt.Errorf("%q is not a name such as openstack/mariadb", value)
	}
	switch flag {
	case "--service":
		return service{namespace: parts[0], object: parts[1]}, nil
	case "--job":
		return job{namespace: parts[0], object: parts[1]}, nil
	default:
		return jobOf{namespace: parts[0], label: parts[1]}, nil
	}
}

func areNames(parts []string) bool {
	return !slices.ContainsFunc(parts, func(part string) bool { return !objectName.MatchString(part) })
}
