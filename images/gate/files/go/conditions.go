package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

const (
	contentAnnotation = "ccp.openstack.org/content"
	jobLabel          = "ccp.openstack.org/job"
)

// A condition that must be met before the pod's containers start.
type condition interface {
	// name is the condition in messages: Service openstack/mariadb.
	name() string
	// check returns why the condition is not met; an empty text says that it is met.
	check(ctx context.Context, api *api) string
}

type service struct{ namespace, object string }

func (s service) name() string { return "Service " + s.namespace + "/" + s.object }

func (s service) check(ctx context.Context, api *api) string {
	var slices struct {
		Items []struct {
			Endpoints []struct {
				Conditions struct{ Ready *bool }
			}
		}
	}
	path := "/apis/discovery.k8s.io/v1/namespaces/" + s.namespace + "/endpointslices"
	if reason := api.read(ctx, path, "kubernetes.io/service-name="+s.object, &slices); reason != "" {
		return reason
	}
	count := 0
	for _, slice := range slices.Items {
		for _, endpoint := range slice.Endpoints {
			// An absent value means ready (Kubernetes API reference, EndpointConditions).
			if endpoint.Conditions.Ready == nil || *endpoint.Conditions.Ready {
				return ""
			}
			count++
		}
	}
	if count == 0 {
		return "it has no endpoints"
	}
	return fmt.Sprintf("none of its %d endpoints is ready", count)
}

type jobStatus struct {
	Status struct {
		Conditions []struct{ Type, Status, Reason string }
	}
}

func (j jobStatus) reason() string {
	for _, each := range j.Status.Conditions {
		if each.Status == "True" && each.Type == "Complete" {
			return ""
		}
		if each.Status == "True" && each.Type == "Failed" {
			return "it failed: " + each.Reason
		}
	}
	return "it is not complete"
}

type job struct{ namespace, object string }

func (j job) name() string { return "Job " + j.namespace + "/" + j.object }

func (j job) check(ctx context.Context, api *api) string {
	var found jobStatus
	path := "/apis/batch/v1/namespaces/" + j.namespace + "/jobs/" + j.object
	if reason := api.read(ctx, path, "", &found); reason != "" {
		return reason
	}
	return found.reason()
}

// jobOf is met by any Job with the label: by one of an earlier content too.
type jobOf struct{ namespace, label string }

func (j jobOf) name() string { return "a Job " + j.namespace + "/" + j.label }

func (j jobOf) check(ctx context.Context, api *api) string {
	var found struct{ Items []jobStatus }
	path := "/apis/batch/v1/namespaces/" + j.namespace + "/jobs"
	if reason := api.read(ctx, path, jobLabel+"="+j.label, &found); reason != "" {
		return reason
	}
	reason := "it does not exist"
	for _, each := range found.Items {
		if reason = each.reason(); reason == "" {
			return ""
		}
	}
	return reason
}

// workload has a ready pod, or with a content is rolled out completely.
type workload struct{ kind, namespace, object, content string }

func (w workload) name() string { return w.kind + " " + w.namespace + "/" + w.object }

func (w workload) check(ctx context.Context, api *api) string {
	var found struct {
		Metadata struct {
			Generation  int64
			Annotations map[string]string
		}
		Spec struct {
			Replicas *int64
			Selector struct{ MatchLabels map[string]string }
		}
		Status struct {
			ObservedGeneration, Replicas, ReadyReplicas, UpdatedReplicas                        int64
			NumberReady, DesiredNumberScheduled, UpdatedNumberScheduled, CurrentNumberScheduled int64
		}
	}
	path := "/apis/apps/v1/namespaces/" + w.namespace + "/" + strings.ToLower(w.kind) + "s/" + w.object
	if reason := api.read(ctx, path, "", &found); reason != "" {
		return reason
	}
	status := found.Status
	if status.ObservedGeneration < found.Metadata.Generation {
		return "its controller has not seen it yet"
	}
	wanted, ready, updated, all := int64(1), status.ReadyReplicas, status.UpdatedReplicas, status.Replicas
	if found.Spec.Replicas != nil {
		wanted = *found.Spec.Replicas
	}
	if w.kind == "DaemonSet" {
		wanted, ready = status.DesiredNumberScheduled, status.NumberReady
		updated, all = status.UpdatedNumberScheduled, status.CurrentNumberScheduled
	}
	if w.content == "" {
		if ready > 0 || wanted == 0 {
			return ""
		}
		return "none of its pods is ready"
	}
	if found.Metadata.Annotations[contentAnnotation] != w.content {
		return "it is not updated to content " + w.content
	}
	if updated < wanted || all > wanted {
		return fmt.Sprintf("%d of %d pods are updated, %d exist", updated, wanted, all)
	}
	if ready < wanted {
		return fmt.Sprintf("%d of %d pods are ready", ready, wanted)
	}
	return w.ending(ctx, api, found.Spec.Selector.MatchLabels)
}

// ending names a pod that is being deleted but has not ended. The status of a workload does not count such pods, and
// their code may be of an earlier release.
func (w workload) ending(ctx context.Context, api *api, labels map[string]string) string {
	if len(labels) == 0 {
		return "its selector has no labels"
	}
	var found struct {
		Items []struct {
			Metadata struct{ Name, DeletionTimestamp string }
			Status   struct{ Phase string }
		}
	}
	var selector []string
	for key, value := range labels {
		selector = append(selector, key+"="+value)
	}
	slices.Sort(selector)
	path := "/api/v1/namespaces/" + w.namespace + "/pods"
	if reason := api.read(ctx, path, strings.Join(selector, ","), &found); reason != "" {
		return reason
	}
	for _, pod := range found.Items {
		ended := pod.Status.Phase == "Succeeded" || pod.Status.Phase == "Failed"
		if pod.Metadata.DeletionTimestamp != "" && !ended {
			return "pod " + pod.Metadata.Name + " is still terminating"
		}
	}
	return ""
}

func query(selector string) string {
	if selector == "" {
		return ""
	}
	return "?labelSelector=" + url.QueryEscape(selector)
}
